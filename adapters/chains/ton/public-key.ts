/** The key that a wallet on TON says is its own. */

import { Address } from '@ton/core'
import { ProviderFault, ProviderRefusal } from '../rpc/providers.ts'
import type { RawGetMethodResult } from './answers.ts'
import type { TonApi } from './api.ts'

/** In hex; undefined for an account that is not there, or that has no such method. */
export const publicKeyAt = async (api: TonApi, address: string): Promise<string | undefined> => {
  const raw = Address.parse(address).toRawString().toUpperCase()
  const ask = { address: raw, method: 'get_public_key', stack: [] }
  try {
    const { exit_code, stack } = await api.post<Partial<RawGetMethodResult>>('/runGetMethod', ask)
    if (typeof exit_code !== 'number' || !Array.isArray(stack)) throw new ProviderFault('no usable answer')
    const value = (stack[0] as { value?: unknown } | undefined)?.value
    if ((exit_code !== 0 && exit_code !== 1) || typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
      return undefined
    return value.slice(2).toLowerCase().padStart(64, '0')
  } catch (error) {
    if (error instanceof ProviderRefusal) return undefined
    throw error
  }
}
