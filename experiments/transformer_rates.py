"""How the Transformer's learning rate was chosen: three rates, sinusoidal positions, validation."""

from common import try_rates

from seq2seq_attention.recipes import TRANSFORMER_RECIPES

RATES = (2e-3, 4e-3, 8e-3)

if __name__ == "__main__":
    try_rates("transformer_rates", "Transformer", TRANSFORMER_RECIPES["Transformer"], RATES)
