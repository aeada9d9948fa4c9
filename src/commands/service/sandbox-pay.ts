import { addresses } from '../../../adapters/chains/addresses.ts'
import { paySandbox, sandboxBuyer } from '../../../adapters/chains/sandbox/sandbox.ts'
import { buySigned } from '../../../adapters/chains/sandbox/sandbox-buyer.ts'
import { buyCart } from '../../../adapters/chains/sandbox/sandbox-cart.ts'
import { TEST_USDC } from '../../../adapters/chains/sandbox/sandbox-dollar.ts'
import { assetOf } from '../../../domain/kernel/assets.ts'
import { toUnits } from '../../../domain/kernel/money.ts'
import type { Books } from '../../books/books.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { SANDBOX_BASE, type SandboxUrls } from '../../settings/sandbox.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

export type SandboxPayment = {
  readonly to?: string
  readonly amount?: string
  readonly asset: 'eth' | 'usdc_base'
  /** The URL of what is bought by a signature, instead of the options above. */
  readonly sign?: string
  /** The URL of the checkout session that is completed and paid by a signature. */
  readonly session?: string
}

/** Pays on a sandbox chain of the running service, from a test account. False when it was not taken. */
export const sandboxPay = (books: Books, out: Output, payment: SandboxPayment): Promise<boolean> => {
  if (payment.session !== undefined) return session(books, out, payment.session)
  return payment.sign === undefined ? transfer(books, out, payment) : sign(books, out, payment.sign)
}

/** Sends coins or dollars, and waits until that is mined. */
const transfer = async (books: Books, out: Output, { to, amount, asset }: SandboxPayment): Promise<true> => {
  if (to === undefined || amount === undefined)
    throw new BadSetting('--to and --amount are needed, or --sign, or --session')
  const address = addresses.canonical(asset, to)
  if (address === undefined)
    throw new BadSetting('--to is not an address (0x and 40 hex digits, with the right checksum if it has one)')
  const units = unitsOf(asset, amount)
  const urls = sandboxOf(books)
  const hash = await (asset === 'eth'
    ? paySandbox({ url: urls.eth, to: address, amount: units })
    : paySandbox({ url: urls.base, to: address, amount: units, token: TEST_USDC }))
  await out.tell({ hash, to: address, amount, asset }, hash)
  return true
}

/** Buys as a client of x402 does, holding no coin for gas. */
const sign = async (books: Books, out: Output, url: string): Promise<boolean> => {
  refuseOther('--sign', url)
  sandboxOf(books)
  const { status, settlement, body } = await buySigned(url, SANDBOX_BASE, sandboxBuyer().privateKey)
  const text = [`status       ${status}`, `settlement   ${settlement ? JSON.stringify(settlement) : body}`]
  if (settlement?.transaction) text.push(`transaction  ${settlement.transaction}`)
  await out.tell(
    { status, settlement: settlement ?? null, transaction: settlement?.transaction || null },
    text.join('\n'),
  )
  return status === 200
}

/** Completes a checkout session and pays it with the completion, as a buyer's program does. */
const session = async (books: Books, out: Output, url: string): Promise<boolean> => {
  refuseOther('--session', url)
  sandboxOf(books)
  const { status, order, failed } = await buyCart(url, SANDBOX_BASE, sandboxBuyer().privateKey)
  const text = [`status  ${status}`]
  if (order) text.push(`order   ${order.permalink_url}`)
  if (failed !== undefined) text.push(`failed  ${failed}`)
  await out.tell({ status, order: order ?? null, failed: failed ?? null }, text.join('\n'))
  return status === 'completed'
}

const refuseOther = (option: string, url: string): void => {
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new BadSetting(`${option} is not an http(s) URL`)
}

const sandboxOf = ({ running }: Books): SandboxUrls => {
  if (!running) throw new CommandFailure('no service is running on this DATA_DIR: start one with daybook serve')
  if (!running.sandbox)
    throw new CommandFailure('the running service has no sandbox chain: a CHAIN_<NAME>_RPC setting is in its place')
  return running.sandbox
}

const unitsOf = (code: string, amount: string): bigint => {
  const decimals = assetOf(code)?.decimals ?? 0
  if ((amount.split('.')[1]?.length ?? 0) > decimals)
    throw new BadSetting(`--amount is not an amount of ${code}: it has at most ${decimals} places`)
  return toUnits(amount, decimals)
}
