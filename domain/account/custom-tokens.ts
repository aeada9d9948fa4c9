import { type Asset, assetOf } from '../kernel/assets.ts'
import { decider } from '../kernel/decider.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * Tokens that a seller added to the coins it can be paid in (J-TOK-02). They are its own: two sellers may give one code
 * to two contracts.
 */

/** Tokens of one account, so that its state stays small. */
export const CUSTOM_TOKENS_MAX = 200
/** Digits after the point that a payer is asked to type at most. */
const DISPLAY_DECIMALS_MAX = 6

export type CustomTokenEvents = {
  /** The seller's wallets and resources know this code from now on. */
  CustomTokenAdded: {
    /** The type of the token (`erc-20`, `spl`, …), which says its network. */
    type: string
    code: string
    network: string
    /** The token's contract in the canonical form of its network. */
    contract: string
    decimals: number
    name: string
    /** US dollars for one whole token, when `rateUrl` gives none. */
    rate: string | null
    /** An https URL that answers a price, or `<feed>:<id>`. */
    rateUrl: string | null
    /** Confirmations that the token needs, instead of the network's own number. */
    confirmations: number | null
    img: string | null
  }
  /**
   * The code is free again; its wallet is left out of every offer from now on, and what was offered before can still be
   * paid.
   */
  CustomTokenDeleted: { code: string }
}

export type CustomTokenCommands = { add: CustomTokenEvents['CustomTokenAdded']; remove: { code: string } }

export type CustomToken = Omit<CustomTokenEvents['CustomTokenAdded'], 'img'>
type State = { readonly [code: string]: CustomToken }

export const customTokens = decider<CustomTokenEvents, CustomTokenCommands, State>({
  category: 'customTokens',
  stateVersion: 1,
  initial: {},
  decide: {
    add: (state, data) => {
      const { code } = data
      // A name that every JavaScript object has could be mistaken for an entry of that name.
      if (!/^[a-z0-9_]{1,32}$/.test(code) || code in {})
        return refuse('invalid-request', 'code: this one is the service’s own. Take another one.')
      if (assetOf(code) || tokenIn(state, code)) return refuse('custom-token-exists', `the code ${code} is taken`)
      if (Object.keys(state).length >= CUSTOM_TOKENS_MAX)
        return refuse('invalid-request', `An account has at most ${CUSTOM_TOKENS_MAX} custom tokens: delete one first.`)
      return [{ type: 'CustomTokenAdded', data }]
    },
    remove: (state, { code }) =>
      tokenIn(state, code)
        ? [{ type: 'CustomTokenDeleted', data: { code } }]
        : refuse('not-found', 'There is no custom token of this code. Look for it in GET /v1/custom-tokens.'),
  },
  evolve: {
    CustomTokenAdded: (state, { img: _, ...token }) => ({ ...state, [token.code]: token }),
    CustomTokenDeleted: (state, { code }) => Object.fromEntries(Object.entries(state).filter(([key]) => key !== code)),
  },
})

export const tokenIn = (tokens: State, code: string): CustomToken | undefined =>
  Object.hasOwn(tokens, code) ? tokens[code] : undefined

/** A custom token as the catalogue would have it. */
export const assetOfToken = ({ code, name, network, decimals, contract, confirmations }: CustomToken): Asset => ({
  code,
  name,
  network,
  decimals,
  displayDecimals: Math.min(decimals, DISPLAY_DECIMALS_MAX),
  contract,
  ...(confirmations !== null && { confirmations }),
})

/**
 * The coin that a receive address is for, over all networks: it is named by the contract, because a code may later mean
 * another one.
 */
export const walletCoin = ({ network, contract }: CustomToken): string => `${network}:${contract}`
