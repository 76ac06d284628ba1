import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { alternate } from '../alternate.ts'
import { ratio, slowest } from '../compare.ts'
import type { Figure } from '../figure.ts'
import { type HostLab, until } from '../host/host-lab.ts'
import { nodePortKubeconfig } from '../host/host-node-port.ts'

const NAME = 'bench-wake'
const FLAGS = ['--idle', '1s', '--set', 'wake.by=any', '--expose', 'node-port', '--no-connect']
/** After its last pod has ended. */
const REST_MS = 3000
/** One client wakes at most 30 planes within ten minutes, and may interrupt a pause once more. */
const APART_MS = 22_000
/** Enough for a median: a pause takes long, and the 95th percentile of the wakes needs many of them alone. */
const MOST_RESUMES = 10

/** How long kubectl without any program of vplane waits for a plane of a host namespace that sleeps. */
export const hostWakeFigure: Figure = {
  name: 'host-wake',
  async measure({ host: openHost, rounds, say }) {
    const host = await openHost()
    if (host === undefined) {
      return []
    }
    await using namespace = await host.namespace(NAME)
    const place = [NAME, '--namespace', namespace.name]
    const { ms: create } = await host.vplane('create', ...place, ...FLAGS)
    const kubeconfig = join(host.workspace.folder, `${NAME}.kubeconfig`)
    const embedded = await nodePortKubeconfig(host, { name: NAME, namespace: namespace.name })
    writeFileSync(kubeconfig, embedded, { mode: 0o600 })
    const kubectl = (...args: string[]) =>
      host.run(['kubectl', ...args], { KUBECONFIG: kubeconfig })
    let wokenAt = Number.NEGATIVE_INFINITY
    const wake = async (round: number) => {
      await untilAsleep(host)
      await delay(Math.max(0, wokenAt + APART_MS - performance.now()))
      wokenAt = performance.now()
      await untilAnswered(() => kubectl('get', 'namespaces')).catch(async (cause: unknown) => {
        say((await host.vplane('events', ...place)).stdout)
        throw cause
      })
      const ms = performance.now() - wokenAt
      say(`wake ${round + 1}: ${ms.toFixed(0)} ms`)
      // A client that writes nothing would keep the plane awake after three wakes.
      await kubectl('label', 'namespace', 'default', '--overwrite', `round=${round}`)
      return ms
    }
    const resume = async () => {
      await untilAsleep(host)
      return (await host.vplane('resume', ...place)).ms
    }
    const compared = Math.min(rounds, MOST_RESUMES)
    const first = await alternate(compared, { wake, resume })
    const more = await alternate(rounds - compared, { wake })
    const samples = { ...first, wake: [...first.wake, ...more.wake] }
    await host.vplane('delete', ...place, '--yes')
    const wakes = ratio({
      name: 'host-wake',
      what: '`kubectl get namespaces` that wakes a plane of a host namespace, with a volume, through a node port',
      unit: 'ms',
      of: 'wake',
      to: { samples: 'resume', what: '`vplane resume` of this plane' },
      samples,
      notes: [`\`vplane create\` of this plane took ${(create / 1000).toFixed(1)} s`],
    })
    return [
      wakes,
      slowest({
        name: 'host-wake-p95',
        what: 'the same, 95th percentile',
        unit: 'ms',
        of: 'wake',
        target: 4500,
        samples,
      }),
    ]
  },
}

/** A gateway refuses a client after nine seconds, and the user runs the command again. */
async function untilAnswered(command: () => Promise<unknown>): Promise<void> {
  try {
    await command()
  } catch {
    await command()
  }
}

async function untilAsleep({ kubectl, workspace }: HostLab): Promise<void> {
  const pods = ['pods', '--namespace', NAME, '--selector', `vplane.dev/name=${NAME}`]
  const isAsleep = async () => {
    const { stdout } = await kubectl('get', ...pods, '--output', 'name')
    return stdout === ''
  }
  await until(isAsleep, { what: 'the pause', workspace })
  await delay(REST_MS)
}
