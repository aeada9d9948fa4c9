import {
  namedIn,
  PROOF_METHODS,
  PROOF_MINUTES,
  type ProofSignature,
  type ProofTerms,
  proofText,
} from '../../account/address-proof.ts'
import { type CustomToken, walletCoin } from '../../account/custom-tokens.ts'
import { coinOf } from '../../kernel/assets.ts'
import { networkOf } from '../../kernel/networks.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { claimAddresses, type ProvenAddress } from './address-claims.ts'
import { type OwnAsset, ownAssetNamed } from './own-assets.ts'

type WalletWish = {
  asset: string
  addresses: readonly string[]
  /** Proof that the account controls one of the addresses, whichever account has it. */
  proof?: { text: string; signature: ProofSignature } | undefined
}

type Setting = Pick<UseCaseContext, 'ledger' | 'world' | 'vault' | 'origins' | 'addresses' | 'proofs'>

/**
 * Sets where an account receives a coin, the main address first, and answers the addresses as they are stored. Nothing
 * is changed unless all of them may be. Refuses `unknown-asset`, `bad-address`, `address-taken`, and as `checkProof`
 * does.
 */
export const setWallet = async (
  flow: Setting,
  accountId: string,
  { asset, addresses: typed, proof }: WalletWish,
): Promise<readonly string[]> => {
  const own = await ownAssetNamed(flow.ledger, accountId, asset)
  const tokens = Object.values(await flow.ledger.customTokens.read(accountId))
  const addresses = [...new Set(typed.map((address) => payable(own, tokens, receivable(flow, own, address))))]
  const claimant = claimantOf(accountId, own)
  const proven = proof && (await checkProof(flow, { ...claimant, addresses }, proof))
  await claimAddresses(flow, claimant, addresses, proven)
  const coin = own.token && walletCoin(own.token)
  await flow.ledger.wallet.setAddress(accountId, { asset, addresses, ...(coin !== undefined && { coin }) })
  return addresses
}

/**
 * The text to sign for an address of a coin, and the address as it would be stored. Refuses `unknown-asset`,
 * `bad-address`.
 */
export const askWalletProof = async (
  flow: Setting,
  accountId: string,
  { asset, address: typed }: { asset: string; address: string },
): Promise<ProofRequest & { network: string; address: string }> => {
  const own = await ownAssetNamed(flow.ledger, accountId, asset)
  const address = receivable(flow, own, typed)
  const { network } = own.asset
  return { network, address, ...askProof(flow, { accountId, network, address }) }
}

/**
 * Offers a coin again, if its addresses are still the account's. Refuses `unknown-asset`, `wallet-missing`,
 * `address-taken`.
 */
export const resumeWallet = async (flow: Setting, accountId: string, asset: string): Promise<void> => {
  const own = await ownAssetNamed(flow.ledger, accountId, asset)
  const kept = (await flow.ledger.wallet.read(accountId))[asset] ?? refuse('wallet-missing')
  await claimAddresses(flow, claimantOf(accountId, own), kept.addresses)
  await flow.ledger.wallet.resume(accountId, { asset })
}

/** The canonical form of an address, if anybody can be paid there. Refuses `bad-address`. */
const receivable = ({ addresses }: Setting, { asset }: OwnAsset, typed: string): string => {
  const address = addresses.canonicalOn(asset.network, typed)
  if (address === undefined)
    return refuse('bad-address', `address: is none of ${asset.code}; copy it from the wallet again`)
  const why = addresses.unpayable(asset.network, address)
  return why === undefined
    ? address
    : refuse('bad-address', `The address ${address} cannot be paid: it is ${why}. Give another one.`)
}

/** Refuses the contracts of the account's own tokens. */
const payable = ({ asset }: OwnAsset, tokens: readonly CustomToken[], address: string): string => {
  const token = tokens.find(({ network, contract }) => network === asset.network && contract === address)
  return token
    ? refuse(
        'bad-address',
        `The address ${address} cannot be paid: it is the contract of ${token.code}. Give another one.`,
      )
    : address
}

const claimantOf = (accountId: string, { asset }: OwnAsset) => ({
  accountId,
  network: asset.network,
  asset: asset.code,
  coin: coinOf({ ...asset, asset: asset.code }),
})

type ProofContext = Pick<UseCaseContext, 'world' | 'vault' | 'origins' | 'proofs'>
type Place = { readonly accountId: string; readonly network: string; readonly address: string }

type ProofRequest = {
  readonly text: string
  /** SHA-256 of the text in hex: what a TON wallet signs as payload. */
  readonly payload: string
  readonly method: string
  readonly expiresAt: string
}

/**
 * The text that the address' key has to sign, so that the address becomes this account's, whichever account has it.
 * Nothing is written.
 */
export const askProof = ({ world, vault, origins }: ProofContext, place: Place): ProofRequest => {
  const at = world.now()
  const text = textOf(vault, { ...place, origin: origins.base, at: at.toISOString() })
  const family = networkOf(place.network)?.family ?? refuse('unknown-asset')
  return {
    text,
    payload: world.digest(text),
    method: PROOF_METHODS[family],
    expiresAt: new Date(at.getTime() + PROOF_MINUTES * 60_000).toISOString(),
  }
}

/**
 * Checks that this service gave a signed text to this account for one of these addresses within the last minutes, and
 * that whoever controls the address signed it. Refuses `proof-invalid` with what is wrong, `unavailable` when the chain
 * cannot be asked.
 */
export const checkProof = async (
  { world, vault, origins, proofs }: ProofContext,
  { accountId, network, addresses }: { accountId: string; network: string; addresses: readonly string[] },
  { text, signature }: { text: string; signature: ProofSignature },
): Promise<ProvenAddress> => {
  const { address, at } =
    namedIn(text) ?? invalid('proof.text: is not a text of this service; ask for a new one by GET /v1/wallets?proof=1')
  if (!addresses.includes(address))
    return invalid('proof.text: names another address than the ones given; ask for a text for this one')
  const own = textOf(vault, { origin: origins.base, accountId, network, address, at })
  // Digests are compared, so that the time it takes tells nothing of the code.
  if (world.digest(own) !== world.digest(text))
    return invalid('proof.text: was not given by this service to this account for this network; ask for a new one')
  const age = world.now().getTime() - Date.parse(at)
  if (age < 0 || age >= PROOF_MINUTES * 60_000)
    return invalid(`proof.text: is older than ${PROOF_MINUTES} minutes; ask for a new one`)
  if (!(await proofs.isSigned({ network, address, text, signature })))
    return invalid('proof.signature: is not of this address over this text; sign the text as it is')
  return { address, provedAt: at }
}

const textOf = (vault: UseCaseContext['vault'], terms: ProofTerms): string =>
  proofText(terms, vault.fingerprint('address-proof', JSON.stringify(Object.entries(terms).sort())).slice(0, 32))

const invalid = (detail: string): never => refuse('proof-invalid', detail)
