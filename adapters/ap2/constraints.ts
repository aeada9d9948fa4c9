import { outOfScope } from './fault.ts'
import type { Ap2Mandate } from './mandate.ts'
import { isObject, type Json, type JsonObject } from './strict-json.ts'

/**
 * The constraints by which a buyer has bound an agent, in an open mandate (AP2 0.2, "Constraints"). A constraint that
 * is not known is not met.
 */

type SignedCheckout = {
  /** What the seller has signed. */
  readonly terms: JsonObject
  /** The names and addresses that mean this seller. */
  readonly seller: readonly string[]
}

/** Constraints of one mandate, and requirements or different items of one constraint. */
const CONSTRAINTS_MAX = 16
const ITEMS_MAX = 100
const QUANTITY_MAX = 1_000_000_000

/**
 * Checks every constraint of a mandate. None may be kept back: the presenter could leave out the one that is in the
 * way.
 */
export const checkConstraints = ({ claims, body }: Ap2Mandate, checkout: SignedCheckout): void => {
  const constraints = constraintsOf(body)
  if ([claims.root, body, body.constraints ?? null, ...constraints].some((part) => claims.isWithheld(part)))
    outOfScope('constraint-withheld')
  for (const constraint of constraints) {
    const check = CHECKS.get(String(constraint.type)) ?? outOfScope('constraint-unknown')
    check(claims, constraint, checkout)
  }
  // AP2's schema wants one at least; without it an agent might buy anything.
  if (!constraints.some(({ type }) => type === 'checkout.line_items')) outOfScope('constraint-missing')
}

type Check = (claims: Ap2Mandate['claims'], constraint: JsonObject, checkout: SignedCheckout) => void

const constraintsOf = ({ constraints }: JsonObject): readonly JsonObject[] => {
  if (!Array.isArray(constraints) || constraints.length > CONSTRAINTS_MAX) return outOfScope('constraint-missing')
  return constraints.every((each) => isObject(each)) ? constraints : outOfScope('constraint-malformed')
}

/** Checks that the seller is one of the merchants that are shown. */
const checkMerchants: Check = (_claims, { type: _type, allowed, ...more }, { seller }) => {
  if (Object.keys(more).length > 0) outOfScope('constraint-unknown')
  const merchants: readonly Json[] = Array.isArray(allowed) ? allowed : outOfScope('constraint-malformed')
  if (!merchants.some((merchant) => isObject(merchant) && isSeller(merchant, seller)))
    outOfScope('merchant-not-allowed')
}

/**
 * Whether a merchant is this seller: by its id, or by its website where it has no id. A name alone could be anybody's.
 */
const isSeller = ({ id, website }: JsonObject, seller: readonly string[]): boolean => {
  const stated = id === undefined ? website : id
  return typeof stated === 'string' && seller.some((name) => plain(name) === plain(stated))
}

/** An address without its last slash; a text that is no address stays as it is. */
const plain = (name: string): string => (URL.canParse(name) ? new URL(name).href.replace(/\/$/, '') : name)

/**
 * Every requirement has just as many items as it asks for, and every item serves a requirement: the flow from the
 * requirements to the items that they accept fills both.
 */
const checkItems: Check = (claims, { type: _type, items, ...more }, { terms }) => {
  if (Object.keys(more).length > 0) outOfScope('constraint-unknown')
  const required: readonly Json[] = Array.isArray(items) ? items : outOfScope('constraint-malformed')
  if (required.length === 0 || required.length > ITEMS_MAX) outOfScope('constraint-malformed')
  if ([required, ...required].some((part) => claims.isWithheld(part))) outOfScope('constraint-withheld')
  const requirements = required.map(requirementOf)
  const cart = cartOf(terms.line_items)
  const wanted = sum(requirements.map(({ quantity }) => quantity))
  const offered = sum([...cart.values()])
  if (wanted !== offered || maxFlow(netOf(requirements, cart)) !== wanted) outOfScope('items-not-allowed')
}

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ['checkout.allowed_merchants', checkMerchants],
  ['checkout.line_items', checkItems],
])

type Requirement = { readonly accepted: ReadonlySet<string>; readonly quantity: number }

const requirementOf = (requirement: Json): Requirement => {
  if (!isObject(requirement)) return outOfScope('constraint-malformed')
  const { id: _id, acceptable_items: items, quantity, ...more } = requirement
  if (!Array.isArray(items) || !isQuantity(quantity)) return outOfScope('constraint-malformed')
  if (Object.keys(more).length > 0) outOfScope('constraint-unknown')
  const ids = items.map((item) =>
    isObject(item) && typeof item.id === 'string' ? item.id : outOfScope('constraint-malformed'),
  )
  return { accepted: new Set(ids), quantity }
}

/** The quantity of each item, whatever lines it stands in. */
const cartOf = (lines: Json | undefined): ReadonlyMap<string, number> => {
  const cart = new Map<string, number>()
  for (const line of Array.isArray(lines) ? lines : []) {
    const { item, quantity } = isObject(line) ? line : {}
    if (!isObject(item) || typeof item.id !== 'string' || !isQuantity(quantity)) return outOfScope('items-not-allowed')
    cart.set(item.id, (cart.get(item.id) ?? 0) + quantity)
  }
  return cart.size <= ITEMS_MAX ? cart : outOfScope('items-not-allowed')
}

/** The net of a cart; its nodes are the source, the requirements, the items and the sink. */
const netOf = (requirements: readonly Requirement[], cart: ReadonlyMap<string, number>) => {
  const [first, items] = [requirements.length + 1, [...cart.keys()]]
  const size = first + items.length + 1
  const net = Array.from({ length: size }, () => new Array<number>(size).fill(0))
  for (const [i, { accepted, quantity }] of requirements.entries()) {
    ;(net[0] as number[])[i + 1] = quantity
    for (const [k, id] of items.entries()) if (accepted.has(id)) (net[i + 1] as number[])[first + k] = Infinity
  }
  for (const [k, id] of items.entries()) (net[first + k] as number[])[size - 1] = cart.get(id) ?? 0
  return net
}

const isQuantity = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= QUANTITY_MAX

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

/** The most that can flow through a net of edges with bounds: the shortest way with room first (Edmonds and Karp). */

/** Node 0 is the source, the last one the sink. */
type Net = readonly (readonly number[])[]

/** `net[from][to]` is what may flow along that edge; 0 where there is none. */
const maxFlow = (net: Net): number => {
  const room = net.map((row) => [...row])
  let total = 0
  for (let way = shortestWay(room); way !== undefined; way = shortestWay(room)) {
    const flow = Math.min(...way.map(([from, to]) => room[from]?.[to] ?? 0))
    for (const [from, to] of way) {
      add(room, from, to, -flow)
      add(room, to, from, flow)
    }
    total += flow
  }
  return total
}

/** The edges from the source to the sink, each with room; undefined when there is no such way. */
const shortestWay = (room: readonly (readonly number[])[]): readonly (readonly [number, number])[] | undefined => {
  const sink = room.length - 1
  const cameFrom = new Map<number, number>([[0, 0]])
  for (const node of cameFrom.keys()) {
    if (node === sink) break
    for (const [to, left] of (room[node] ?? []).entries()) if (left > 0 && !cameFrom.has(to)) cameFrom.set(to, node)
  }
  if (!cameFrom.has(sink)) return undefined
  const way: [number, number][] = []
  for (let to = sink; to !== 0; ) {
    const from = cameFrom.get(to) ?? 0
    way.push([from, to])
    to = from
  }
  return way
}

const add = (room: number[][], from: number, to: number, by: number): void => {
  const row = room[from]
  if (row) row[to] = (row[to] ?? 0) + by
}
