/** Addresses that are well formed but belong to nobody: coins that are sent there are gone for good (N-20). */

import { assets } from '../../domain/kernel/assets.ts'
import { type AddressFamily, type NetworkChain, networkOf } from '../../domain/kernel/networks.ts'
import { addressRulesOf, scriptOfAddress } from './bitcoin-address.ts'

/**
 * The reason why nobody can be paid at an address in canonical form, for a person to read; undefined when there is
 * none.
 */
export const unpayableOn = (name: string, address: string, chain: NetworkChain): string | undefined => {
  const network = networkOf(name)
  const contract = assets.find(
    (asset) =>
      asset.network === name && [asset.contract, ...Object.values(asset.testContracts ?? {})].includes(address),
  )
  if (contract) return `the contract of ${contract.name}`
  return network && nobodys[network.family](address, chain)
}

const BURN = 'a burn address, which nobody has the key of'
const SYSTEM = 'an address of the network itself'

type Look = (address: string, chain: NetworkChain) => string | undefined

const listed =
  (burn: readonly string[], system: readonly string[]): Look =>
  (address) =>
    burn.includes(address) ? BURN : system.includes(address) ? SYSTEM : undefined

/** Contracts that a chain is born with, and those that its nodes answer for themselves, have the lowest numbers. */
const EVM_SYSTEM_MAX = 0xffffn

const onEvm = listed(
  [
    '0x000000000000000000000000000000000000dEaD',
    '0xdEAD000000000000000042069420694206942069',
    '0xdeaDDeADDEaDdeaDdEAddEADDEAdDeadDEADDEaD',
    '0xdEad000000000000000000000000000000000000',
    '0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF',
    '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  ],
  [
    // Deposits of validators, and Multicall3.
    '0x00000000219ab540356cBB839Cbe05303d7705Fa',
    '0xcA11bde05977b3631167028862bE2a173976CA11',
  ],
)
/** The contracts of the OP stack lie side by side, wrapped ether among them. */
const OP_STACK = /^0x4200000000000000000000000000000000000[0-9a-fA-F]{3}$/

const onSolana = listed(
  ['1nc1nerator11111111111111111111111111111111'],
  [
    '11111111111111111111111111111111',
    'So11111111111111111111111111111111111111112',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
    'ComputeBudget111111111111111111111111111111',
    'Vote111111111111111111111111111111111111111',
    'Stake11111111111111111111111111111111111111',
    'Config1111111111111111111111111111111111111',
    'StakeConfig11111111111111111111111111111111',
    'BPFLoader1111111111111111111111111111111111',
    'BPFLoader2111111111111111111111111111111111',
    'BPFLoaderUpgradeab1e11111111111111111111111',
    'NativeLoader1111111111111111111111111111111',
    'Ed25519SigVerify111111111111111111111111111',
    'KeccakSecp256k11111111111111111111111111111',
    'AddressLookupTab1e1111111111111111111111111',
    'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  ],
)

const onTron = listed(['TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'], [])

/** The contracts of the configuration and of the elections, `-1:5555…` and `-1:3333…`. */
const onTon = listed(
  [],
  ['Uf9VVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVeGi', 'Uf8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMxYA'],
)

const onBitcoin = listed(['1BitcoinEaterAddressDontSendf59kuE', '1CounterpartyXXXXXXXXXXXXXXXUWLpVr'], [])

const nobodys: Readonly<Record<AddressFamily, Look>> = {
  evm: (address, chain) =>
    onEvm(address, chain) ?? (BigInt(address) <= EVM_SYSTEM_MAX || OP_STACK.test(address) ? SYSTEM : undefined),
  bitcoin: (address, chain) => (isOfNoHash(address, chain) ? BURN : onBitcoin(address, chain)),
  solana: (address, chain) => (/^Sysvar\w+1111$/.test(address) ? SYSTEM : onSolana(address, chain)),
  tron: onTron,
  ton: onTon,
}

/** The hash of no key is all zeros. */
const isOfNoHash = (address: string, chain: NetworkChain): boolean => {
  const rules = addressRulesOf(chain)
  const script = rules && scriptOfAddress(address, rules)
  return script !== undefined && Buffer.from(script).includes(Buffer.alloc(20))
}
