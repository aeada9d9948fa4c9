import {
  namedIn,
  PROOF_METHODS,
  PROOF_MINUTES,
  type ProofSignature,
  type ProofTerms,
  proofText,
} from '../../account/address-proof.ts'
import { networkOf } from '../../kernel/networks.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import type { ProvenAddress } from './address-claims.ts'

type ProofContext = Pick<UseCaseContext, 'world' | 'vault' | 'origins' | 'proofs'>
type Place = { readonly accountId: string; readonly network: string; readonly address: string }

export type ProofRequest = {
  readonly text: string
  /** SHA-256 of the text in hex: what a TON wallet signs as payload. */
  readonly payload: string
  readonly method: string
  readonly expiresAt: string
}

/**
 * The text that the address' key has to sign, so that the address becomes the account's whoever has it. Nothing is
 * written.
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
 * Checks a signed text: that this service gave it to this account for one of these addresses within the last minutes,
 * and that whoever controls the address signed it. Refuses `proof-invalid` with what is wrong, `unavailable` when the
 * chain cannot be asked.
 */
export const checkProof = async (
  { world, vault, origins, proofs }: ProofContext,
  { accountId, network, addresses }: { accountId: string; network: string; addresses: readonly string[] },
  { text, signature }: { text: string; signature: ProofSignature },
): Promise<ProvenAddress> => {
  const { address, at } = namedIn(text) ?? invalid('proof.text is not a text of this service')
  if (!addresses.includes(address)) return invalid('proof.text names another address than the ones given')
  const own = textOf(vault, { origin: origins.base, accountId, network, address, at })
  // Digests are compared, so that the time it takes tells nothing of the code.
  if (world.digest(own) !== world.digest(text))
    return invalid('proof.text was not given by this service to this account for this network')
  const age = world.now().getTime() - Date.parse(at)
  if (age < 0 || age >= PROOF_MINUTES * 60_000)
    return invalid(`proof.text is older than ${PROOF_MINUTES} minutes: ask for a new one`)
  if (!(await proofs.isSigned({ network, address, text, signature })))
    return invalid('proof.signature is not of this address over this text')
  return { address, provedAt: at }
}

const textOf = (vault: UseCaseContext['vault'], terms: ProofTerms): string =>
  proofText(terms, vault.fingerprint('address-proof', JSON.stringify(Object.entries(terms).sort())).slice(0, 32))

const invalid = (detail: string): never => refuse('proof-invalid', detail)
