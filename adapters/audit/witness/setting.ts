import { WITNESSES_MAX } from '../../../domain/audit/cosignatures.ts'
import type { WitnessAddress } from './ask-witness.ts'
import { vkeyIn } from './note.ts'

/**
 * The setting WITNESSES: `<URL> <verifier key>` items parted by commas. Throws an Error that names the first bad item.
 * The warning of a witness is believed, so nobody on the way may speak for it: its address has to be https, except on
 * this machine.
 */
export const parseWitnesses = (value: string | undefined): readonly WitnessAddress[] => {
  const witnesses = (value?.split(',') ?? []).map(witnessOf)
  if (witnesses.length > WITNESSES_MAX) throw new Error(`WITNESSES names more than ${WITNESSES_MAX} witnesses`)
  const names = witnesses.map(({ key }) => `${key.name} ${key.publicKey}`)
  if (new Set(names).size < names.length) throw new Error('WITNESSES names a witness twice')
  return witnesses
}

const witnessOf = (item: string): WitnessAddress => {
  const [address = '', vkey = '', ...more] = item.trim().split(/\s+/)
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || more.length > 0 || url.search || url.hash || !/^https?:$/.test(url.protocol))
    throw new Error(`WITNESSES is not a list of <URL> <verifier key>: ${item.trim()}`)
  if (url.protocol !== 'https:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname))
    throw new Error(`WITNESSES has an address that is not https: ${item.trim()}`)
  const key = vkeyIn(vkey)
  if (key?.kind !== 'cosigner')
    throw new Error(`WITNESSES has an item without the verifier key of a witness: ${item.trim()}`)
  return { url: address.replace(/\/+$/, ''), key }
}
