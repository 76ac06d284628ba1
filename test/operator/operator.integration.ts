import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compose, type Composition } from '../../src/compose/compose.ts'
import type { Driver } from '../../src/control-plane/driver/driver.ts'
import { createControlPlane } from '../../src/control-plane/use-cases/create/create-control-plane.ts'
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts'
import { startControlPlane } from '../../src/library/start-control-plane.ts'
import { runOperator } from '../../src/operator/run-operator.ts'
import { processEnvironment } from '../../src/shared/environment.ts'
import { collectionPath, objectPath } from '../../src/shared/kube/collections.ts'
import { packageRoot } from '../../src/shared/package-root.ts'
import { conditionOf, type KubeObject } from '../../src/shared/kube/kube-object.ts'
import { silentUi } from '../../src/shared/ui.ts'
import { waitFor } from '../../src/shared/wait.ts'

const resource = (spec: object, name = 'dev'): KubeObject => ({
  apiVersion: 'vplane.dev/v1beta1',
  kind: 'ControlPlane',
  metadata: { name, namespace: 'default' },
  spec,
})

// The local driver in place of the one for a host cluster: the steps are the same, and the planes real.
describe('an operator', { shuffle: false }, () => {
  let stack: AsyncDisposableStack
  let host: KubeClient
  let composition: Composition
  let driver: Driver
  const { signal } = new AbortController()
  const read = async (name = 'dev') => {
    const found = await host.get(objectPath('controlplanes', resource({}, name).metadata))
    return found && { status: found['status'], ready: conditionOf(found, 'Ready') }
  }
  const until = (
    what: string,
    isSo: (found: Awaited<ReturnType<typeof read>>) => boolean,
    name?: string,
  ) => waitFor(async () => isSo(await read(name)), { what, timeoutMs: 60_000 })

  beforeAll(async () => {
    stack = new AsyncDisposableStack()
    const crds = [join(packageRoot(), 'schemas/crds')]
    const plane = stack.use(await startControlPlane({ crds, timeoutMs: 300_000 }))
    const user = await plane.addUser({ name: 'operator', groups: ['system:masters'] })
    const { certificateAuthority, server } = plane
    const { certificate, key } = user
    host = stack.use(createKubeClient({ server, certificateAuthority, certificate, key }))
    const root = await mkdtemp(join(tmpdir(), 'vplane-operator-'))
    stack.defer(() => rm(root, { recursive: true, force: true }))
    const environment = processEnvironment()
    composition = stack.use(compose({ environment, root, ui: silentUi }))
    const local = composition.drivers.find(({ name }) => name === 'local')
    if (local === undefined) {
      throw new Error('this platform has no local driver')
    }
    driver = local
    stack.defer(async () => {
      const operation = { ui: silentUi, signal }
      await Promise.all((await local.list()).map((plane) => local.remove(plane, operation)))
    })
    const stop = new AbortController()
    const log: string[] = []
    const { openOperators: _ofCommands, ...dependencies } = composition
    const options = { ...dependencies, drivers: [driver], driver, host, checkMs: 500 }
    const running = runOperator(
      {
        ...options,
        snapshotsOf: () => composition.openSnapshots(),
        report: () => {},
        reportOn: () => () => {},
        timeoutMs: 60_000,
        log: (line) => log.push(line),
      },
      stop.signal,
    )
    stack.defer(async () => {
      stop.abort()
      await running
      const isExpected = (line: string) => /1\.2|does not declare|has seen/.test(line)
      expect(log.filter((line) => !isExpected(line))).toEqual([])
    })
  }, 120_000)
  afterAll(() => stack.disposeAsync())

  test('creates the plane of a new ControlPlane, and shows that it is ready', async () => {
    await host.create(collectionPath('controlplanes', 'default'), resource({ apiGroups: 'lean' }))

    await until('a ready plane', (found) => found?.ready?.['status'] === 'True')

    expect((await read())?.status).toMatchObject({
      observedGeneration: 1,
      resolved: { apiGroups: 'lean' },
    })
  })

  test('changes the plane when the spec changes', async () => {
    const spec = { apiServer: { extraArgs: { v: '2' } } }
    await host.patch(
      objectPath('controlplanes', resource({}).metadata),
      { spec },
      { type: 'merge' },
    )

    await until(
      'the change',
      (found) => found?.ready?.['observedGeneration'] === 2 && found.ready['status'] === 'True',
    )

    expect((await read())?.status).toMatchObject({ resolved: spec })
  })

  test('says what is wrong with a spec, and leaves the plane as it is', async () => {
    const spec = { version: '1.2' }
    await host.patch(
      objectPath('controlplanes', resource({}).metadata),
      { spec },
      { type: 'merge' },
    )

    await until('the refusal', (found) => found?.ready?.['reason'] === 'InvalidSpec')

    expect((await read())?.ready?.['message']).toContain('1.2')
    await host.patch(
      objectPath('controlplanes', resource({}).metadata),
      { spec: { version: null } },
      { type: 'merge' },
    )
    await until('a ready plane', (found) => found?.ready?.['status'] === 'True')
  })

  test('takes no plane of others, and leaves it when the ControlPlane is deleted', async () => {
    const options = { name: 'other', userSpec: {}, driver, wait: false, timeoutMs: 60_000, signal }
    await createControlPlane(composition, options)
    const other = resource({ apiGroups: 'lean' }, 'other')
    await host.create(collectionPath('controlplanes', 'default'), other)

    await until(
      'the refusal',
      (found) => found?.ready?.['reason'] === 'ControlPlaneExists',
      'other',
    )
    expect((await read('other'))?.ready?.['message']).toMatch(/\(to let .*: vplane adopt other\b/)
    await host.delete(objectPath('controlplanes', other.metadata))
    await until('the end', (found) => found === undefined, 'other')

    expect(await driver.find('other')).toMatchObject([{ name: 'other', userSpec: {} }])
  })

  test('deletes the plane with its ControlPlane', async () => {
    await host.delete(objectPath('controlplanes', resource({}).metadata))

    await until('the end', (found) => found === undefined)

    expect(await driver.find('dev')).toEqual([])
  })
})
