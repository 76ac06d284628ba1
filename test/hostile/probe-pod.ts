import { nodeContainer, pod } from '../support/host/planes/workloads.ts'

export interface ProbeTarget {
  name: string
  host: string
  port: number
  /** Not from pods of these nodes, by the address of the node: a pod always reaches its own. */
  exceptOn?: readonly string[]
  /** Only the policies of the tenant's own pods guard it. */
  isOpen?: boolean
}

/** When host and pod know each other: policies apply to an address a moment after the pod has it. */
const DELAY_MS = 3000
const CONNECT_MS = 2000

/** What a probe prints for each target that it reached, and at the end. */
export const REACHED = 'REACHED '
export const DONE = 'PROBED'

/** The spec of pods that print their environment, all files that are mounted, and what they reach. */
export function probePod(name: string, targets: readonly ProbeTarget[]) {
  const script = `(${probe.toString()})(${JSON.stringify({ targets, DELAY_MS, CONNECT_MS, REACHED, DONE })})`
  const env = [{ name: 'HOST_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } }]
  return pod(name, [nodeContainer('server', script, { env })], { restartPolicy: 'Never' })
}

/** Runs in the pod. */
function probe(options: {
  targets: readonly ProbeTarget[]
  DELAY_MS: number
  CONNECT_MS: number
  REACHED: string
  DONE: string
}): void {
  const fs = process.getBuiltinModule('node:fs')
  const net = process.getBuiltinModule('node:net')
  const say = (text: string) => process.stdout.write(`${text}\n`)
  say(JSON.stringify(process.env))
  const mounts = fs.readFileSync('/proc/mounts', 'utf8').split('\n')
  for (const path of mounts.map((line) => line.split(' ')[1] ?? '')) {
    if (/^\/(mnt|var|etc|run|tmp|x|v)/.test(path)) {
      try {
        const isFile = fs.statSync(path).isFile()
        const names = isFile ? [''] : fs.readdirSync(path, { encoding: 'utf8', recursive: true })
        for (const name of names.slice(0, 100)) {
          const file = isFile ? path : `${path}/${name}`
          if (fs.statSync(file).isFile() && fs.statSync(file).size < 100_000) {
            say(`${file}: ${fs.readFileSync(file, 'utf8')}`)
          }
        }
      } catch {
        // It may not be readable.
      }
    }
  }
  const hostIp = process.env['HOST_IP'] ?? ''
  const connects = (host: string, port: number) =>
    new Promise<boolean>((resolve) => {
      const socket = net.connect({ host, port, timeout: options.CONNECT_MS }, () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
      socket.once('timeout', () => {
        socket.destroy()
        resolve(false)
      })
    })
  setTimeout(async () => {
    for (const { exceptOn = [], host, name, port } of options.targets) {
      if (!exceptOn.includes(hostIp) && (await connects(host, port))) {
        say(`${options.REACHED}${name}`)
      }
    }
    say(options.DONE)
    setInterval(() => {}, 60_000)
  }, options.DELAY_MS)
}
