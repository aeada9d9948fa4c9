import { addresses } from '../../adapters/chains/addresses.ts'
import { paySandbox } from '../../adapters/chains/sandbox.ts'
import { toDecimal } from '../../domain/money.ts'
import type { Books } from '../books.ts'
import { BadSetting } from '../config.ts'
import { Failed } from './failures.ts'
import type { Output } from './output.ts'

const ETH_DECIMALS = 18

/** Pays on the sandbox chain of the running service, from a test account, and waits until it is mined. */
export const sandboxPay = async (
  { running }: Books,
  out: Output,
  { to, amount }: { to: string; amount: bigint },
): Promise<void> => {
  const address = addresses.canonical('eth', to)
  if (address === undefined)
    throw new BadSetting('--to is not an address (0x and 40 hex digits, with the right checksum if it has one)')
  if (!running) throw new Failed('no service is running on this DATA_DIR: start one with daybook serve')
  if (!running.sandboxUrl)
    throw new Failed('the running service has no sandbox chain: a CHAIN_<NAME>_RPC setting is in its place')
  const hash = await paySandbox({ url: running.sandboxUrl, to: address, amount })
  const ether = toDecimal(amount, ETH_DECIMALS)
  await out.tell({ hash, to: address, amount: ether }, hash)
}
