/**
 * The event store as a process of its own, as a cluster would be: the embedded node, reached only over EventStoreDB's
 * protocol.
 */
import { openCore } from '../../adapters/store/node/core.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'

const [file = '', address = ''] = process.argv.slice(2)
const core = openCore(file)
await serveProtocol(core, address)
process.on('SIGTERM', () => core.close().finally(() => process.exit()))
