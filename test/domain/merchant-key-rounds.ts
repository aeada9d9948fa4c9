import type { Deciders } from '../../domain/write-side/deciders.ts'

/** Rounds of what a seller signs with, for what a stream of many years comes to. */

const coordinate = 'x'.repeat(43)
const key = { publicJwk: { kty: 'EC', crv: 'P-256', x: coordinate, y: coordinate }, privateKey: `v1.${coordinate}` }

export const merchantKeyRounds: Pick<
  Record<keyof Deciders, (n: number) => readonly (readonly [command: string, data: object])[]>,
  'merchantKeys'
> = {
  merchantKeys: (n) => [
    ['begin', { ...key, kid: `b${n}` }],
    ['rotate', { ...key, kid: `k${n}` }],
  ],
}
