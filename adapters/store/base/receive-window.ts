import type { Http2Server } from 'node:http2'
import type { Channel, Server } from '@grpc/grpc-js'

/**
 * How much of a connection, and of each call on it, one side takes before it has read it. HTTP/2 begins with 65,535
 * bytes, and so many come in one round trip at the most: at 20 ms that was 3 MB a second, whatever the line could do.
 */
const RECEIVE_WINDOW_BYTES = 1_048_576

/** Gives a channel that has not connected yet the window for what the server sends. The client has no option for it. */
export const widenChannel = (channel: Channel): void => {
  const { options } = (channel as unknown as ChannelInternals).internalChannel
  options['grpc-node.flow_control_window'] = RECEIVE_WINDOW_BYTES
}

/** Gives a server that listens nowhere yet the window for what clients send. gRPC has an option for channels alone. */
export const widenServer = (server: Server): void => {
  const inside = server as unknown as ServerInternals
  inside.commonServerOptions.settings = { initialWindowSize: RECEIVE_WINDOW_BYTES }
  const create = inside.createHttp2Server.bind(server)
  inside.createHttp2Server = (credentials) => {
    const created = create(credentials)
    created.on('session', (session) => session.setLocalWindowSize(RECEIVE_WINDOW_BYTES))
    return created
  }
}

/** What `@grpc/grpc-js` does not export. */
type ChannelInternals = { readonly internalChannel: { readonly options: Record<string, unknown> } }
type ServerInternals = {
  readonly commonServerOptions: { settings?: { initialWindowSize: number } }
  createHttp2Server(credentials: unknown): Http2Server
}
