import type { Hex } from 'viem'

/** Code of wallets that say what they like of a signature (EIP-1271), as it stands on a chain. */

/** Code that says yes to every signature where the bytes before have left something on the stack, else no. */
const yesIf = (condition: string): Hex => {
  const body = `60${(condition.length / 2 + 9).toString(16).padStart(2, '0')}57600080fd00005b631626ba7e60e01b60005260206000f3`
  return `0x${condition}${body}`
}

export const YES = yesIf('6001')
export const NO = yesIf('6000')
/** GASPRICE ISZERO: yes to who asks for nothing, no to who pays for gas. */
export const YES_IF_FREE = yesIf('3a15')
/** Runs until its gas is used up. */
export const EATER: Hex = '0x5b600056'
/** Says yes after so many rounds, each of which takes 26 of gas. */
export const slowly = (rounds: number): Hex =>
  yesIf(`61${rounds.toString(16).padStart(4, '0')}5b6001900380600357506001`)
/** Answers one number, and zeros behind it, to whatever it is asked. */
export const answering = (value: bigint): Hex => `0x7f${value.toString(16).padStart(64, '0')}60005260606000f3`
