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
  const listening = {
    listed: () => objects.listed(),
    onChange: objects.onChange.bind(objects),
    run: async () => {},
  }

  void runOperator(
    {
      ...operated.dependencies(),
      driver: busy,
      drivers: [busy],
      host: operated.host,
      objects: listening,
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
