import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { KubernetesDriver } from '../../src/drivers/kubernetes/kubernetes-driver.ts'
import { type KnownPlanes, runOperator } from '../../src/operator/run-operator.ts'
import { Operated } from './seen/operated-plane.ts'

test('knows at once what a command has recorded, while other planes take all turns', async () => {
  const operated = new Operated()
  onTestFinished(() => operated[Symbol.asyncDispose]())
  await operated.declare({ idle: '1h' })
  const asleep = { desired: 'paused', idleSince: '2026-06-01T12:00:00.000Z' } as const
  await operated.cluster.changeRecord('dev', asleep)
  const busy = new KubernetesDriver({
    ...operated.cluster.driverContext(),
    host: () => new Promise(() => {}),
  })
  const started = Promise.withResolvers<KnownPlanes>()
  const { objects, signal } = operated

  void runOperator(
    {
      ...operated.dependencies(),
      driver: busy,
      drivers: [busy],
      host: operated.host,
      objects: { ...listeningTo(objects), run: async () => {} },
      log: () => {},
      beside: async (known) => started.resolve(known),
    },
    signal,
  )

  const { memories } = await started.promise
  const recorded = () => memories.get('team-a/dev')?.plane
  await expect.poll(recorded).toMatchObject({ desired: 'paused' })
  await operated.cluster.changeRecord('dev', { desired: 'running', idleSince: undefined })
  await expect.poll(recorded).toMatchObject({ desired: 'running' })
})

test('does not try again at once after a failure because of what it has written itself', async () => {
  await using operated = new Operated()
  await operated.declare({ idle: '1h' })
  const { cluster, host, objects, signal } = operated
  await cluster.changeRecord('dev', { desired: 'paused', idleSince: cluster.time.toISOString() })
  let tries = 0
  class Refused extends KubernetesDriver {
    override async pause(): Promise<void> {
      tries += 1
      const at = cluster.time.toISOString()
      const journal = { operation: 'pause', step: `try ${tries}`, at, holder: 'operator' } as const
      await cluster.changeRecord('dev', { journal })
      throw new Error('the host denies it')
    }
  }
  const driver = new Refused(cluster.driverContext())
  const errors: string[] = []

  const running = runOperator(
    {
      ...operated.dependencies(),
      driver,
      drivers: [driver],
      host,
      objects: { ...listeningTo(objects), run: async () => {} },
      log: (line) => errors.push(line),
    },
    signal,
  )

  await expect.poll(() => errors, { timeout: 5000 }).toContain('team-a/dev: the host denies it')
  await delay(1500)
  expect(tries).toBeLessThanOrEqual(2)
  await operated[Symbol.asyncDispose]()
  await running
})

/** What the watches tell that run already. */
function listeningTo(objects: Operated['objects']) {
  return { listed: () => objects.listed(), onChange: objects.onChange.bind(objects) }
}
