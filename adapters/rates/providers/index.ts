import { coinbase } from './coinbase.ts'
import { coingecko } from './coingecko.ts'
import { erapi } from './erapi.ts'
import { kraken } from './kraken.ts'
import { okx } from './okx.ts'
import type { Provider } from './provider.ts'

/** Every source of prices by the name that the setting RATES gives it. */
export const providers = { coinbase, kraken, okx, coingecko, erapi } satisfies Record<string, Provider>

export type ProviderName = keyof typeof providers
