"""The words of the grammar: every form in English, French and German, and what goes with what.

One line a word. An English form belongs to one word only, and a word has one translation in each
language, so what a sentence means never depends on a choice. People whose English name says
nothing of their sex (doctor, student) have the masculine name in French and German.
"""

from __future__ import annotations

from .entries import Adjective, Noun, Preposition, Verb

ANIMATE = frozenset({"human", "animal"})
THINGS = frozenset({"text", "food", "opening", "large", "place"})


def _kinds(text: str) -> frozenset[str]:
    named = {"-": (), "any": ANIMATE | THINGS, "animate": ANIMATE, "things": THINGS}
    return frozenset(kind for word in text.split("+") for kind in named.get(word, (word,)))


def _rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


# English, kind, French gender and forms (* marks an aspirated h), German gender and forms with
# the genitive singular
_NOUNS = """
man men human m homme hommes m Mann Männer Mannes
woman women human f femme femmes f Frau Frauen Frau
child children human m enfant enfants n Kind Kinder Kindes
boy boys human m garçon garçons m Junge Jungen Jungen
girl girls human f fille filles n Mädchen Mädchen Mädchens
teacher teachers human m professeur professeurs m Lehrer Lehrer Lehrers
doctor doctors human m médecin médecins m Arzt Ärzte Arztes
queen queens human f reine reines f Königin Königinnen Königin
brother brothers human m frère frères m Bruder Brüder Bruders
sister sisters human f sœur sœurs f Schwester Schwestern Schwester
hero heroes human m *héros *héros m Held Helden Helden
student students human m étudiant étudiants m Student Studenten Studenten
dog dogs animal m chien chiens m Hund Hunde Hundes
cat cats animal m chat chats f Katze Katzen Katze
bird birds animal m oiseau oiseaux m Vogel Vögel Vogels
horse horses animal m cheval chevaux n Pferd Pferde Pferdes
bear bears animal m ours ours m Bär Bären Bären
cow cows animal f vache vaches f Kuh Kühe Kuh
book books text m livre livres n Buch Bücher Buches
letter letters text f lettre lettres m Brief Briefe Briefes
newspaper newspapers text m journal journaux f Zeitung Zeitungen Zeitung
apple apples food f pomme pommes m Apfel Äpfel Apfels
cake cakes food m gâteau gâteaux m Kuchen Kuchen Kuchens
orange oranges food f orange oranges f Orange Orangen Orange
door doors opening f porte portes f Tür Türen Tür
window windows opening f fenêtre fenêtres n Fenster Fenster Fensters
box boxes opening f boîte boîtes f Kiste Kisten Kiste
tree trees large m arbre arbres m Baum Bäume Baumes
table tables large f table tables m Tisch Tische Tisches
car cars large f voiture voitures n Auto Autos Autos
garden gardens place m jardin jardins m Garten Gärten Gartens
school schools place f école écoles f Schule Schulen Schule
city cities place f ville villes f Stadt Städte Stadt
museum museums place m musée musées n Museum Museen Museums
hospital hospitals place m hôpital hôpitaux n Krankenhaus Krankenhäuser Krankenhauses
church churches place f église églises f Kirche Kirchen Kirche
"""

# English, place, kinds, French (m., f., m. plural, f. plural, m. before a vowel), German, stem
_ADJECTIVES = """
small early any petit petite petits petites petit klein klein
big early any grand grande grands grandes grand groß groß
beautiful early any beau belle beaux belles bel schön schön
old early any vieux vieille vieux vieilles vieil alt alt
young early animate jeune jeune jeunes jeunes jeune jung jung
new early things nouveau nouvelle nouveaux nouvelles nouvel neu neu
red late text+food+opening+large rouge rouge rouges rouges rouge rot rot
green late text+food+opening+large vert verte verts vertes vert grün grün
white late opening+large+animal blanc blanche blancs blanches blanc weiß weiß
black late opening+large+animal noir noire noirs noires noir schwarz schwarz
tired late animate fatigué fatiguée fatigués fatiguées fatigué müde müd
happy late animate heureux heureuse heureux heureuses heureux glücklich glücklich
expensive late things cher chère chers chères cher teuer teur
"""

# English, French and German (singular, plural), prefix, case, subjects, objects, needs, places
_VERBS = """
sleeps sleep dort dorment schläft schlafen - - animate - - here+company
sings sing chante chantent singt singen - - human - - here+company+for
dances dance danse dansent tanzt tanzen - - animate - - here+company+for
works work travaille travaillent arbeitet arbeiten - - human - - here+company+for
laughs laugh rit rient lacht lachen - - human - - here+company
arrives arrive arrive arrivent kommt kommen an - animate - - company
leaves leave part partent geht gehen weg - animate - - company
goes go va vont geht gehen - - animate - to company
comes come vient viennent kommt kommen - - animate - from company
sees see voit voient sieht sehen - acc animate any - here
loves love aime aiment liebt lieben - acc human animate - -
finds find trouve trouvent findet finden - acc animate any - here
buys buy achète achètent kauft kaufen - acc human text+food+opening+large - for
sells sell vend vendent verkauft verkaufen - acc human text+food+opening+large - here
reads read lit lisent liest lesen - acc human text - here+company+for
eats eat mange mangent isst essen - acc animate food - here+company
opens open ouvre ouvrent macht machen auf acc human opening - for
closes close ferme ferment macht machen zu acc human opening - for
invites invite invite invitent lädt laden ein acc human human - -
calls call appelle appellent ruft rufen an acc human human - -
helps help aide aident hilft helfen - dat human animate - here
follows follow suit suivent folgt folgen - dat animate animate - -
thanks thank remercie remercient dankt danken - dat human human - -
says say dit disent sagt sagen - - human - that -
thinks think pense pensent denkt denken - - human - that -
knows know sait savent weiß wissen - - human - that -
hopes hope espère espèrent hofft hoffen - - human - that -
is are est sont ist sind - - any - be here
"""


def _noun(row: list[str]) -> Noun:
    sg, pl, kind, gender, fr, fr_pl, de_gender, de, de_pl, genitive = row
    mute = fr[0] in "aeiouâàéèêîôûœh"
    names = (fr.strip("*"), fr_pl.strip("*"))
    return Noun((sg, pl), kind, names, gender, mute, (de, de_pl), de_gender, genitive)


def _verb(row: list[str]) -> Verb:
    row = ["" if cell == "-" else cell for cell in row]
    prefix, case, subjects, objects, needs, places = row[6:]
    return Verb(
        (row[0], row[1]),
        (row[2], row[3]),
        (row[4], row[5]),
        prefix,
        case,
        _kinds(subjects),
        _kinds(objects or "-"),
        needs,
        _kinds(places or "-"),
        row[0] not in ("thinks", "hopes"),
    )


NOUNS = {row[0]: _noun(row) for row in _rows(_NOUNS)}
ADJECTIVES = {
    row[0]: Adjective(row[1] == "early", _kinds(row[2]), tuple(row[3:8]), row[8], row[9])  # type: ignore[arg-type]
    for row in _rows(_ADJECTIVES)
}
VERBS = {row[1]: _verb(row) for row in _rows(_VERBS)}
PREPOSITIONS = {
    "in": Preposition(("dans",), "in", "dat", _kinds("place"), "here"),
    "behind": Preposition(("derrière",), "hinter", "dat", _kinds("large+place"), "here"),
    "beside": Preposition(("à", "côté", "de"), "neben", "dat", _kinds("large"), "here"),
    "with": Preposition(("avec",), "mit", "dat", ANIMATE, "company"),
    "without": Preposition(("sans",), "ohne", "acc", ANIMATE, "company"),
    "for": Preposition(("pour",), "für", "acc", _kinds("human"), "for"),
    "to": Preposition(("à",), "zu", "dat", _kinds("place"), ""),
    "from": Preposition(("de",), "aus", "dat", _kinds("place"), ""),
}
FREQUENCY = {"often": ("souvent", "oft"), "always": ("toujours", "immer")}  # French, German
TIME = {"today": ("aujourd'hui", "heute"), "now": ("maintenant", "jetzt")}
CONJUNCTIONS = {
    "because": (("parce", "que"), "weil"),
    "when": (("quand",), "wenn"),
    "if": (("si",), "wenn"),
    "while": (("pendant", "que"), "während"),
}
JOINTS = {"and": ("et", "und"), "but": ("mais", "aber")}
COUNTS = {"two": ("deux", "zwei"), "three": ("trois", "drei")}
# subject, object; French subject, object, after a preposition; German, three cases
PRONOUNS = {
    "he": ("he", "him", "il", "le", "lui", "er", "ihn", "ihm"),
    "she": ("she", "her", "elle", "la", "elle", "sie", "sie", "ihr"),
    "they": ("they", "them", "ils", "les", "eux", "sie", "sie", "ihnen"),
}
