import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** The custom tokens of each seller. */

const customTokens = {
  name: 'custom_tokens',
  columns: {
    account_id: 'text',
    code: 'text',
    type: 'text',
    network: 'text',
    name: 'text',
    contract: 'text',
    decimals: 'integer',
    deleted: 'boolean',
  },
  key: ['account_id', 'code'],
} as const satisfies Table

export const customTokensProjection: Projection = {
  name: 'custom-tokens',
  version: 1,
  tables: [customTokens],
  on: {
    CustomTokenAdded: ({ stream, data: { code, type, network, name, contract, decimals } }) =>
      put(customTokens, {
        account_id: idOf(stream),
        code,
        type,
        network,
        name,
        contract,
        decimals,
        deleted: false,
      }),
    CustomTokenDeleted: ({ stream, data }) => patch(customTokens, [idOf(stream), data.code], () => ({ deleted: true })),
  },
}

export type CustomTokenRow = {
  code: string
  type: string
  network: string
  name: string
  contract: string
  decimals: number
}

export const customTokenQueries = (sql: Sql) => ({
  customTokens: (accountId: string): Promise<CustomTokenRow[]> => sql<CustomTokenRow[]>`
    select code, type, network, name, contract, decimals from custom_tokens
    where account_id = ${accountId} and not deleted`,
})
