import { decimalsOf } from '../../domain/reading/journal.ts'
import type { JournalFormat } from './format.ts'
import { headOf } from './head.ts'
import {
  type AccountType,
  fullDecimal,
  inertText,
  inertTime,
  knownDecimals,
  plainAccount,
  plainAsset,
  typeOf,
} from './names.ts'

/**
 * The journal for hledger, and for ledger-cli, which reads the same text. Everything is declared, so that `hledger
 * check --strict` passes.
 */

const TYPES: Readonly<Record<AccountType, string>> = {
  asset: 'A',
  liability: 'L',
  equity: 'E',
  income: 'R',
  expense: 'X',
}

export const hledgerFormat: JournalFormat = {
  head: (selection) => `${headOf(selection)}\n`,
  declares: {
    account: (account) => {
      const name = plainAccount(account)
      return `account ${name}\n  ; type: ${TYPES[typeOf(account)]}\n${name === account ? '' : `  ; name: ${inertText(account)}\n`}`
    },
    // ledger-cli misreads a format without decimals; without one both take the whole numbers as they come.
    asset: (asset) => {
      const name = plainAsset(asset)
      const decimals = decimalsOf(asset)
      const format = decimals === 0 ? '' : `  format 1.${'0'.repeat(decimals)} "${name}"\n`
      return `commodity "${name}"\n${name === asset ? '' : `  ; name: ${inertText(asset)}\n`}${format}`
    },
  },
  entry: ({ at, type, event, tags = [], price, isInert }) => {
    const place =
      event &&
      `, position:${event.position}, event:${inertText(event.id, isInert)}, stream:${inertText(event.stream, isInert)}`
    let also = ''
    for (const [name, value] of tags) also += `, ${name}:${inertText(value, isInert)}`
    const worth = price
      ? `\nP ${at.slice(0, 10)} "${plainAsset(price.asset)}" ${price.rate} "${plainAsset(price.currency)}"`
      : ''
    return `${worth}\n${at.slice(0, 10)} ${inertText(type, isInert)}  ; time:${inertTime(at)}${place ?? ''}${also}\n`
  },
  posting: ({ account, asset, units, tags = [], isInert }) => {
    let worth = ''
    for (const [name, value] of tags) worth += `${worth === '' ? '  ; ' : ', '}${name}:${inertText(value, isInert)}`
    return `    ${plainAccount(account)}  ${fullDecimal(units, knownDecimals(asset))} "${plainAsset(asset)}"${worth}\n`
  },
  join: '',
  end: '',
}
