import { toDecimal, type Units } from '../../../domain/kernel/money.ts'
import type { Chain } from '../../../domain/kernel/ports.ts'
import { isDifference } from '../../../domain/reading/reconciliation/compare.ts'
import type { ReconciledLine } from '../../../domain/reading/reconciliation/line.ts'
import { createTally, type Tally } from '../../../domain/reading/reconciliation/tally.ts'
import { FIRST_PAGE, type ReconcileCursor, reconcilePage } from '../../../domain/use-cases/money/reconcile.ts'
import { createQueries } from '../../../projections/index.ts'
import { bookedTransfersProjection } from '../../../projections/money/booked-transfers.ts'
import { booksProjection } from '../../../projections/money/books.ts'
import { settlementsProjection } from '../../../projections/selling/settlements.ts'
import { transactionsProjection } from '../../../projections/selling/transactions/transactions.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import { countText } from '../../books/replaying.ts'
import { mustBeBuilt } from '../../books/verify-read-models.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import { keepMemorySteady } from '../../console/steady-memory.ts'
import { readChains } from '../../outside/chains.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { world } from '../../settings/world.ts'
import { linesText, summaryText, toldLine } from './told.ts'

export type ReconcileOptions = {
  readonly account?: string
  readonly from?: Date
  readonly to?: Date
  readonly by?: 'settled' | 'mined'
  readonly chain: boolean
  readonly differences?: boolean
}

/** Lines that are read, compared and told at once. */
const PAGE_LINES = 500
/** Chain transactions that one command looks up; the transfers beyond say that their chain was not asked. */
const LOOKS_MAX = 100_000

/** Tells each line and the sums; answers whether all agree as far as they were to be asked. */
export const reconcile = async (
  books: Books,
  out: Output,
  config: Config,
  asked: ReconcileOptions,
): Promise<boolean> => {
  keepMemorySteady()
  const { account, from, to, by, chain, differences = false } = asked
  if (from && to && to < from) throw new BadSetting('--to is before --from')
  const sql = await readModel(books, out, bookedTransfersProjection)
  for (const model of [settlementsProjection, transactionsProjection, booksProjection]) await mustBeBuilt(sql, model)
  const queries = createQueries(sql)
  const wish = { accountId: account, test: false, from: from?.toISOString(), to: to?.toISOString(), by }
  if (account && !(await queries.hasSold(account)))
    throw new CommandFailure(`nothing was ever booked or sold for ${account}`)
  const chains = chain ? await chainsOf(books, out, config) : undefined
  const tally = createTally()
  const bar = startBar(out, await queries.reconciledTransferCount(wish))
  let [looks, read, isFirst] = [0, 0n, true]
  try {
    for (let next: ReconcileCursor | undefined = FIRST_PAGE; next !== undefined; ) {
      const bounds = { limit: PAGE_LINES, most: LOOKS_MAX - looks, withinMs: Number.POSITIVE_INFINITY }
      const page = await reconcilePage(queries, { chains, world }, wish, next, bounds)
      for (const line of page.lines) tally.add(line)
      const shown = page.lines.filter(({ status }) => !differences || isNews(status))
      await tellLines(out, shown, isFirst)
      if (shown.length > 0) isFirst = false
      looks += page.looks
      read += BigInt(page.lines.length)
      bar.at(read, 'lines')
      next = page.next
    }
  } finally {
    bar.stop()
  }
  return tellSums(out, tally.found(), { isAsked: chain, isFirst })
}

const isNews = (status: ReconciledLine['status']): boolean => isDifference(status) || status === 'chain does not answer'

/** The chains of the settings, or those of the sandbox that runs. Throws BadSetting where there are none. */
const chainsOf = async (books: Books, out: Output, config: Config): Promise<ReadonlyMap<string, Chain>> => {
  const warn = (facts: { reason?: string; network?: string }, text: string) =>
    out.remark(`${facts.network ?? ''}: ${text}${facts.reason ? `: ${facts.reason}` : ''}`)
  const chains = await readChains(config, books.running?.sandbox, { warn } as Parameters<typeof readChains>[2])
  books.onClose(() => chains.close())
  if (chains.byNetwork.size === 0)
    throw new BadSetting(
      'no chain is connected: set CHAIN_<NAME>_RPC as for the service, start its sandbox with daybook serve, or leave chains out with --no-chain',
    )
  return chains.byNetwork
}

const tellLines = async (out: Output, lines: readonly ReconciledLine[], isFirst: boolean): Promise<void> => {
  if (out.json) for (const line of lines) await out.tell(toldLine(line), '')
  else if (lines.length > 0) await out.tell(undefined, linesText(lines, isFirst))
}

const tellSums = async (
  out: Output,
  tally: Tally,
  { isAsked, isFirst }: { isAsked: boolean; isFirst: boolean },
): Promise<boolean> => {
  const { differences, unanswered, unasked, lines, byHand } = tally
  const silent = unanswered + (isAsked ? unasked : 0)
  const allAgree = differences + silent === 0
  const money = (units: Units, decimals: number) => ({ units, amount: toDecimal(BigInt(units), decimals) })
  const coins = tally.rows.map(({ decimals, transactions, journal, chain, ...row }) => ({
    ...row,
    transactions: money(transactions, decimals),
    journal: money(journal, decimals),
    chain: money(chain, decimals),
  }))
  const summary = { allAgree, lines, differences, unanswered, unasked, byHand, coins }
  const verdict = allAgree
    ? `All agree${isAsked ? '' : '; no chain was asked'}: ${countText(lines, 'line')}.`
    : `NOT ALL AGREE: of ${countText(lines, 'line')} ${differences} ${differences === 1 ? 'differs' : 'differ'}${silent > 0 ? `, and of ${silent} the chain has not said` : ''}.`
  const hand = byHand === 0 ? [] : [`${countText(byHand, 'line')} with something that was written or matched by hand.`]
  await out.tell(
    { summary },
    `${isFirst ? '' : '\n'}${[summaryText(tally, isAsked), [verdict, ...hand].join('\n')].filter(Boolean).join('\n\n')}`,
  )
  return allAgree
}
