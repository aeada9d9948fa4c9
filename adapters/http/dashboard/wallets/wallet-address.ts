import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { askWalletProof, setWallet } from '../../../../domain/use-cases/account/set-wallet.ts'
import {
  ADDRESS_LIST_MAX_CHARS,
  ADDRESS_MAX_CHARS,
  ADDRESSES_MAX,
  AddressProof,
  PROOF_TEXT_MAX_CHARS,
  STATE_INIT_MAX_CHARS,
} from '../../agent/account/wallets.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { validInput } from '../../core/valid.ts'
import { localeFor } from '../../pages/dashboard/messages/locale.ts'
import { addressPage, proofPage } from '../../pages/dashboard/wallets/address.ts'
import { seeOther } from '../../pages/people-page.ts'
import { type FormFaults, faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { AssetCode, coinChoices, WALLETS } from '../wallets.ts'

/** Where a coin is received: set, checked as it is typed, and proved by a signature. */

const ADDRESS = `${WALLETS}/address`
const PROOF = `${WALLETS}/proof`
// The form asks for the second factor before anything is typed, so that nothing typed is lost.
const common = { ...ofMembers, callers: { capability: 'wallets.edit', fresh: true } } as const
const typedList = z.string().max(ADDRESS_LIST_MAX_CHARS)

const look = endpoint({
  ...common,
  path: ADDRESS,
  method: 'get',
  summary: 'The form for the receive addresses of a coin',
  query: z.object({ asset: AssetCode.optional() }),
  async answer({ query: { asset }, ...request }) {
    const { addresses = [] } = (asset && (await request.flow.ledger.wallet.read(request.actor.accountId))[asset]) || {}
    return await show(request, { asset, addresses: addresses.join('\n') })
  },
})

const save = endpoint({
  ...common,
  path: ADDRESS,
  method: 'post',
  summary: 'Sets the receive addresses of a coin',
  body: z.object({ csrf, asset: AssetCode, addresses: typedList }),
  async answer({ body: { asset, addresses: typed }, ...request }) {
    const { flow, actor } = request
    const addresses = listed(typed)
    try {
      if (addresses.length === 0) refuse('invalid-request', 'addresses: write at least one')
      if (addresses.length > ADDRESSES_MAX) refuse('invalid-request', `addresses: give at most ${ADDRESSES_MAX}`)
      await setWallet(flow, actor.accountId, { asset, addresses })
    } catch (error) {
      return await show(request, { asset, addresses: typed, faults: named(error, ['asset', 'addresses'], 'addresses') })
    }
    return seeOther(`${WALLETS}?done=set`)
  },
})

const check = endpoint({
  method: 'get',
  path: `${WALLETS}/check`,
  auth: 'member',
  reach: 'account',
  callers: { capability: 'wallets.edit' },
  waits: 'never',
  summary: 'Whether each of some addresses is one of a coin, while they are typed',
  query: z.object({ asset: AssetCode.default(''), typed: typedList.default('') }),
  returns: z.object({ good: z.boolean(), words: z.string() }),
  refusals: ['busy'],
  async answer({ query: { asset, typed }, flow, actor }) {
    const { words } = localeFor(actor)
    try {
      const addresses = listed(typed).slice(0, ADDRESSES_MAX)
      for (const address of addresses) await askWalletProof(flow, actor.accountId, { asset, address })
      return { good: true, words: words.wallets.checked(addresses.length) }
    } catch (error) {
      return { good: false, words: Object.values(named(error, ['addresses'], 'addresses'))[0] ?? '' }
    }
  },
})

const about = { asset: AssetCode, address: z.string().max(ADDRESS_MAX_CHARS) }

const lookAtProof = endpoint({
  ...common,
  path: PROOF,
  method: 'get',
  summary: 'A text to sign with the key of a receive address, which makes it the account’s whoever has it',
  query: z.object({ asset: about.asset.default(''), address: about.address.default('') }),
  answer: ({ query, ...request }) => showProof(request, query),
})

const prove = endpoint({
  ...common,
  path: PROOF,
  method: 'post',
  summary: 'Takes the signature of a receive address',
  body: z.object({
    csrf,
    ...about,
    text: z.string().max(PROOF_TEXT_MAX_CHARS * 2),
    signature: z.string().max(STATE_INIT_MAX_CHARS * 2),
  }),
  async answer({ body: { asset, address, text, signature }, ...request }) {
    const { flow, actor } = request
    const { addresses = [] } = (await flow.ledger.wallet.read(actor.accountId))[asset] ?? {}
    try {
      // Browsers send the ends of lines as two characters.
      const signed = { text: text.replaceAll('\r\n', '\n'), signature: signatureIn(signature) }
      const proof = validInput(AddressProof, signed)
      await setWallet(flow, actor.accountId, { asset, addresses: [...new Set([...addresses, address])], proof })
    } catch (error) {
      return await showProof(request, { asset, address, signature, faults: named(error, ['signature'], 'signature') })
    }
    return seeOther(`${WALLETS}?done=proven`)
  },
})

export const walletAddressEndpoints = [look, save, check, lookAtProof, prove]

const listed = (typed: string): readonly string[] => typed.split(/[\s,]+/).filter((each) => each !== '')

/** The API calls the field `address`, in which the form takes several. */
const named = (error: unknown, fields: readonly string[], first: string): FormFaults => {
  const { address, ...faults } = faultsOf(error, [...fields, 'address'], first)
  return address === undefined ? faults : { ...faults, [first]: address }
}

/** Wallets of TON answer an object; all others a text. */
const signatureIn = (typed: string): unknown => {
  const text = typed.trim()
  if (!text.startsWith('{')) return text
  try {
    return JSON.parse(text)
  } catch {
    return refuse('invalid-request', 'signature: is not the object that the wallet has answered; copy all of it')
  }
}

type AddressForm = {
  readonly asset: string | undefined
  readonly addresses: string
  readonly faults?: FormFaults
}

const show = async (request: MemberRequest, { asset, addresses, faults }: AddressForm): Promise<Reply> => {
  const [all, kept] = [await coinChoices(request), await request.flow.ledger.wallet.read(request.actor.accountId)]
  const coin = all.find(({ code }) => code === asset)
  const hasWallet = ({ code }: { readonly code: string }) => (kept[code]?.addresses.length ?? 0) > 0
  return addressPage({
    member: request.actor,
    // Whoever adds a coin must not change one that is there.
    coins: coin && hasWallet(coin) ? [coin] : all.filter((each) => !hasWallet(each)),
    coin,
    addresses,
    faults,
    checkAt: `${WALLETS}/check`,
  })
}

type ProofForm = {
  readonly asset: string
  readonly address: string
  readonly signature?: string
  readonly faults?: FormFaults
}

/** Each time a new text is given; one that was not good for an address leads back to the list. */
const showProof = async (request: MemberRequest, { asset, address, ...rest }: ProofForm): Promise<Reply> => {
  const coin = (await coinChoices(request)).find(({ code }) => code === asset)
  if (!coin || address === '') return seeOther(WALLETS)
  try {
    const asked = await askWalletProof(request.flow, request.actor.accountId, { asset, address })
    return proofPage({ ...rest, ...asked, member: request.actor, coin })
  } catch (error) {
    faultsOf(error, [], 'address')
    return seeOther(WALLETS)
  }
}
