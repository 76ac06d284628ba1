import { readFileSync } from 'node:fs'
import { runTunnel } from '../../src/tunnel/process/serve-tunnel.ts'
import { dialTo } from './tcp-server.ts'

// What `vplane tunnel FOLDER` is, but for the host cluster: it dials the port of loopback that is in the first kubeconfig.
process.exitCode = await runTunnel(process.argv[3] ?? '', async ({ host }) => ({
  dial: dialTo(Number(readFileSync(host.files[0] ?? '', 'utf8'))),
  [Symbol.asyncDispose]: () => Promise.resolve(),
}))
