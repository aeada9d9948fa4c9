import { z } from 'zod'
import { onceOf } from '../../../../domain/use-cases/once.ts'
import { changeStock, stockOf } from '../../../../domain/use-cases/selling/stock/change-stock.ts'
import { checkoutNumber } from '../../agent/selling/own-checkouts.ts'
import { ownResourceId } from '../../agent/selling/own-resources.ts'
import { PieceChange, stockChangeOf } from '../../agent/selling/stock.ts'
import type { Reply } from '../../core/endpoint.ts'
import { validInput } from '../../core/valid.ts'
import { type LinkKind, linkAt } from '../../pages/dashboard/products/paths.ts'
import type { PiecesView, PieceValues, PieceWay } from '../../pages/dashboard/products/pieces.ts'
import { seeOther } from '../../pages/people-page.ts'
import { numberIn } from '../first-steps.ts'
import { type FormFaults, faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest } from '../of-dashboard.ts'

/** How many pieces there are of a product or a resource, which a member changes as `action=stock` of the API does. */

const typed = z.string().max(100).default('')

/** The form of the pieces. `once` names it: sent twice, it counts once. */
export const pieceFields = { csrf, way: z.enum(['add', 'take', 'set']), pieces: typed, reason: typed, once: typed }

type Typed = { readonly way: PieceWay } & Readonly<Record<'pieces' | 'reason' | 'once', string>>
type Counted = { readonly kind: LinkKind; readonly id: string }

/** Changes the pieces; `show` answers the page with what is wrong beside its field. */
export const countPieces = async (
  request: MemberRequest,
  { kind, id }: Counted,
  { once: form, ...typed }: Typed,
  show: (said: Pick<PiecesView, 'values' | 'faults'>) => Promise<Reply>,
): Promise<Reply> => {
  const { flow, actor } = request
  const productId = await idOf(request, { kind, id })
  try {
    const change = stockChangeOf(actor.actor, validInput(PieceChange, changeIn(typed)))
    const key = JSON.stringify([productId, form])
    const named = { accountId: actor.accountId, operation: 'dashboard-stock', key, body: typed, conflict: SENT }
    await changeStock(flow, productId, change, onceOf(flow, form === '' ? undefined : named))
    return seeOther(`${linkAt(kind, id)}?done=counted`)
  } catch (error) {
    return await show({ values: typed, faults: pieceFaults(error) })
  }
}

/** How many there are now, with a name for the form that changes it. */
export const piecesView = async (
  { flow }: MemberRequest,
  productId: string,
  said: Pick<PiecesView, 'values' | 'faults'> = {},
): Promise<PiecesView> => ({ level: await stockOf(flow, productId), once: flow.world.id('form'), ...said })

const SENT = 'This form was sent already. Look at how many pieces there are now, and send it once more if need be.'

/** Refuses as the API does for what is not the caller's. */
const idOf = ({ flow, actor }: MemberRequest, { kind, id }: Counted): Promise<string> =>
  kind === 'products' ? checkoutNumber(flow, actor.actor, id) : ownResourceId(flow, actor.actor, id)

/** An empty number means that nobody counts the pieces any more, where one is set, and is none otherwise. */
const changeIn = ({ way, pieces, reason }: Required<PieceValues>) => {
  const count = numberIn(pieces)
  if (way === 'set') return { set: pieces.trim() === '' ? null : count, reason }
  return { add: way === 'take' && typeof count === 'number' ? -count : count, reason }
}

const pieceFaults = (error: unknown): FormFaults => faultsOf(error, ['pieces', 'way', 'reason'], 'pieces')
