import { readFileSync } from 'node:fs'
import { VplaneError } from '../../src/shared/errors.ts'
import { runTunnel } from '../../src/tunnel/process/serve-tunnel.ts'
import { dialTo } from './tcp-server.ts'

/** What stands in the first kubeconfig of a fake tunnel: where to dial, or what is the matter. */
export interface Way {
  port: number
  trouble?: { code: 'FAILED' | 'CONTROL_PLANE_NOT_FOUND'; message: string; hints?: string[] }
}

// What `vplane tunnel FOLDER` is, but for the host cluster: it dials a port of loopback.
if (process.argv[2] === 'tunnel') {
  process.exitCode = await runTunnel(process.argv[3] ?? '', async ({ host }) => {
    const file = host.files[0] ?? ''
    return {
      dial: (signal) => {
        const { port, trouble }: Way = JSON.parse(readFileSync(file, 'utf8'))
        if (trouble !== undefined) {
          const { code, hints = [], message } = trouble
          throw new VplaneError(code, message, { hints })
        }
        return dialTo(port)(signal)
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  })
}
