import test from 'ava'
import { solanaContract } from '../contracts/solana.ts'
import { startSurfnet, surfpool } from '../support/surfnet.ts'

const engine = surfpool()
if (engine) solanaContract(test, 'Surfpool', () => startSurfnet(engine), { without: ['reorganisations'] })
else test.skip('Surfpool: it has no package for this machine, so Solana is tried on LiteSVM only', (t) => t.pass())
