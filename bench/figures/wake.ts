import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '../../src/shared/wait.ts'
import { planeBoards } from '../../src/keeper/local/plane-boards.ts'
import { isKeeping } from '../../src/compose/launcher/keeper-place.ts'
import { planeFolder } from '../../src/drivers/local/store/plane-folder.ts'
import { alternate } from '../alternate.ts'
import { ratio, slowest, total, value } from '../compare.ts'
import { byPhase, formatPhases, type Phases, phasesOf } from '../create-phases.ts'
import type { Figure, Result } from '../figure.ts'
import { accessIn } from '../static-kubeconfig.ts'
import { median } from '../statistics.ts'
import { startCommand } from '../../test/support/cli/cli.ts'
import { handshakesOf, tlsClientArgs } from '../../test/support/programs/handshakes.ts'
import { watchPort } from '../../test/support/machine/watch-port.ts'
import { unsharedKeeperArgs } from '../../test/support/programs/unshared-keeper-args.ts'
import type { Workspace } from '../workspace.ts'

const NAME = 'wake'
const SLEEP_MS = 60_000
const REST_MS = 500

/** How long kubectl without any program of vplane waits for a plane that sleeps. */
export const wakeFigure: Figure = {
  name: 'wake',
  async measure({ shortRounds, workspace }) {
    const kubeconfig = join(workspace.folder, 'wake-kubeconfig')
    writeFileSync(kubeconfig, await createSleeping(workspace), { mode: 0o600 })
    const phases: Phases[] = []
    const samples = await alternate(shortRounds, {
      wake: async () => {
        await untilAsleep(workspace)
        const startedAt = Date.now()
        const { ms } = await workspace.run(['kubectl', 'get', 'namespaces'], {
          KUBECONFIG: kubeconfig,
        })
        phases.push(phasesOf(workspace, NAME, { startedAt, ms }))
        return ms
      },
      resume: async () => {
        await untilAsleep(workspace)
        return (await workspace.vplane('resume', NAME)).ms
      },
    })
    await workspace.vplane('delete', NAME, '--yes')
    const wakes = ratio({
      name: 'wake',
      what: '`kubectl get namespaces` that wakes a plane',
      unit: 'ms',
      of: 'wake',
      to: { samples: 'resume', what: '`vplane resume` of this plane' },
      samples: { ...samples, ...byPhase(phases) },
      notes: [`time of each step: ${formatPhases(phases)}`],
    })
    return [
      wakes,
      slowest({
        name: 'wake-p95',
        what: 'the same, 95th percentile',
        unit: 'ms',
        of: 'wake',
        target: 3000,
        samples,
      }),
    ]
  },
}

/** Whether clients notice that a plane sleeps and wakes. */
export const wakeRoundsFigure: Figure = {
  name: 'wake-rounds',
  async measure({ shortRounds, workspace }) {
    const { server } = accessIn(await createSleeping(workspace))
    const comes = await comeAgain(workspace, { server, rounds: shortRounds })
    await workspace.vplane('delete', NAME, '--yes')
    return [comes]
  },
}

/** How long clients are refused where the keeper and kube-apiserver cannot share a port. */
export const wakeGapFigure: Figure = {
  name: 'wake-gap',
  async measure({ shortRounds, workspace }) {
    const root = dirname(workspace.planes)
    const keeper = startCommand(process.execPath, unsharedKeeperArgs(root), {
      env: workspace.environment,
    })
    await waitFor(() => isKeeping(root), { what: 'the keeper', timeoutMs: SLEEP_MS })
    const kubeconfig = join(workspace.folder, 'gap-kubeconfig')
    writeFileSync(kubeconfig, await createSleeping(workspace), { mode: 0o600 })
    const port = Number(new URL(accessIn(readFileSync(kubeconfig, 'utf8')).server).port)
    const gapsDuring = async (work: () => Promise<unknown>) => {
      using watched = watchPort(port)
      await work()
      return (await watched.end()).reduce((sum, gap) => sum + gap, 0)
    }
    const samples = { wake: [] as number[], pause: [] as number[] }
    for (let round = 0; round < shortRounds; round += 1) {
      await untilAsleep(workspace)
      // On a busy machine, a start takes longer than kubectl waits.
      const wake = () =>
        waitFor(() => writes(workspace, kubeconfig, round), {
          what: 'kubectl',
          timeoutMs: SLEEP_MS,
        })
      samples.wake.push(await gapsDuring(wake))
      samples.pause.push(await gapsDuring(() => untilAsleep(workspace)))
    }
    await workspace.vplane('delete', NAME, '--yes')
    await keeper.kill()
    const ofPause = `${median(samples.pause).toFixed(0)} ms while it is paused`
    const longest = `the longest ${Math.max(...samples.wake).toFixed(0)} ms`
    return [
      value({
        name: 'wake-gap',
        what: 'how long a plane that wakes refuses connections, where its port cannot be shared',
        unit: 'ms',
        of: 'wake',
        samples,
        notes: [`${longest}; ${ofPause}`],
      }),
    ]
  },
}

/** A client that writes nothing would keep the plane awake after three wakes. Returns whether it was answered. */
async function writes(workspace: Workspace, kubeconfig: string, round: number): Promise<boolean> {
  const label = ['kubectl', 'label', 'namespace', 'default', '--overwrite', `round=${round}`]
  return await workspace.run(label, { KUBECONFIG: kubeconfig }).then(
    () => true,
    () => false,
  )
}

/** Creates a plane that sleeps when it is not in use. Returns a kubeconfig for it without a plugin. */
async function createSleeping(workspace: Workspace): Promise<string> {
  await workspace.vplane('create', NAME, '--idle', '1s', '--no-connect')
  const { stdout } = await workspace.vplane('kubeconfig', NAME, '--embed-credentials')
  return stdout
}

/** A client that connects every 20 ms while the plane wakes, falls asleep, and wakes again. */
async function comeAgain(
  workspace: Workspace,
  { rounds, server }: { rounds: number; server: string },
): Promise<Result> {
  const samples = { failed: [] as number[], connections: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    await untilAsleep(workspace)
    const woken = await countWakes(workspace)
    const { child, ended } = startCommand(
      process.execPath,
      tlsClientArgs(Number(new URL(server).port), SLEEP_MS / 1000),
      { env: workspace.environment },
    )
    // It sleeps for too short a time to be seen.
    await untilWoken(workspace, woken + 2)
    child.kill('SIGTERM')
    const { count, errors } = await handshakesOf(ended)
    samples.connections.push(count)
    samples.failed.push(errors.length)
  }
  const connections = samples.connections.reduce((sum, count) => sum + count, 0)
  return total({
    name: 'wake-failed',
    what: `connections that failed, of a client that connects every 20 ms while the plane wakes twice and falls asleep between, ${rounds} times`,
    unit: 'requests',
    of: 'failed',
    target: 0,
    samples,
    notes: [`of ${connections} connections`],
  })
}

async function untilWoken(workspace: Workspace, count: number): Promise<void> {
  await waitFor(async () => (await countWakes(workspace)) >= count, {
    what: 'the wake',
    timeoutMs: SLEEP_MS,
  })
}

async function countWakes({ planes }: Workspace): Promise<number> {
  const { count } = await planeBoards(planeFolder(join(planes, NAME))).wakes.read()
  return count
}

/** Waits until its last component has ended and a little longer, so that nothing of the pause is measured. */
async function untilAsleep({ planes }: Workspace): Promise<void> {
  const { processOf } = planeFolder(join(planes, NAME))
  await waitFor(async () => !existsSync(processOf('etcd')), {
    what: 'the pause',
    timeoutMs: SLEEP_MS,
  })
  await delay(REST_MS)
}
