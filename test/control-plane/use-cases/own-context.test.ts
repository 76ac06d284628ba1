import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { chooseDriver } from '../../../src/control-plane/use-cases/create/choose-driver.ts'
import { connectControlPlane } from '../../../src/control-plane/use-cases/connect/connect-control-plane.ts'
import { disconnectControlPlane } from '../../../src/control-plane/use-cases/connect/disconnect-control-plane.ts'
import { createControlPlane } from '../../../src/control-plane/use-cases/create/create-control-plane.ts'
import { deleteControlPlane } from '../../../src/control-plane/use-cases/stop/delete-control-plane.ts'
import { listControlPlanes } from '../../../src/control-plane/use-cases/find/list-control-planes.ts'
import { kubeconfigContexts } from '../../../src/kubeconfig/kubeconfig-contexts.ts'
import { HOSTS } from '../../support/data/hosts-kubeconfig.ts'
import { FakeComposition } from '../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../support/driver/fake-driver.ts'

// A context that vplane wrote is never a host: with it current, planes are made, listed and deleted as with the
// context behind it.

const NEVER = new AbortController().signal
const READY = { timeoutMs: 2000, signal: NEVER }
const NEW = { ...READY, userSpec: {}, wait: true }

/** A machine with both drivers and a real kubeconfig file. */
function machine(kubeconfig?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'vplane-own-context-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'config')
  if (kubeconfig !== undefined) {
    writeFileSync(file, kubeconfig)
  }
  const local = new FakeDriver()
  const kubernetes = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  const fake = new FakeComposition({ drivers: [kubernetes, local] })
  const contexts = kubeconfigContexts({
    location: { files: [file] },
    writtenBy: '1.0.0',
    plugin: ({ driver, name }) => ({ command: 'vplane-credential', args: [driver, name] }),
  })
  const { accesses, drivers, now, openApi, tunnels, ui } = fake
  const deps = { accesses, drivers, now, openApi, tunnels, ui, contexts }
  return {
    deps,
    file,
    text: () => readFileSync(file, 'utf8'),
    /** Creates a plane as the command does when no driver is named. */
    create: async (name: string) => {
      const driver = chooseDriver(deps, { hostContext: await contexts.hostContext() })
      return (await createControlPlane(deps, { name, driver, ...NEW })).plane
    },
    connect: (name: string) =>
      connectControlPlane(deps, { name, embedCredentials: false, ...READY }),
    remove: (name: string) => {
      const openSnapshots = () => Promise.reject(new Error('there are no snapshots'))
      const options = { name, isConfirmed: true, signal: NEVER }
      return deleteControlPlane({ ...deps, openSnapshots }, options)
    },
    list: async () =>
      (await listControlPlanes(deps)).map(
        ({ isConnected, plane }) => `${plane.driver}/${plane.name}${isConnected ? ' *' : ''}`,
      ),
  }
}

test('without a kubeconfig planes are made here, whether one is connected or not', async () => {
  const { connect, create, list, remove } = machine()

  const first = await create('one')
  await connect('one')
  const second = await create('two')

  expect([first.driver, second.driver]).toEqual(['local', 'local'])
  expect(await list()).toEqual(['local/one *', 'local/two'])
  await remove('two')
  expect(await list()).toEqual(['local/one *'])
})

test('creates planes in the current host context, also while one of them is connected', async () => {
  const { connect, create, deps, list, remove, text } = machine(HOSTS)

  const first = await create('one')
  const { previousContext } = await connect('one')
  const second = await create('two')

  expect(previousContext).toBe('work')
  expect(text()).toContain('vplane_one')
  expect([first, second]).toMatchObject([
    { driver: 'kubernetes', hostContext: 'work' },
    { driver: 'kubernetes', hostContext: 'work' },
  ])
  expect(await deps.contexts.hostContext()).toBe('work')
  expect(await list()).toEqual(['kubernetes/one *', 'kubernetes/two'])
  await remove('two')
  expect(await list()).toEqual(['kubernetes/one *'])
  await remove('one')
  expect(text()).toBe(HOSTS)
})

test('with a local plane connected, planes are made here although the kubeconfig has hosts', async () => {
  const { connect, create, deps, list, remove } = machine(HOSTS)
  const driver = chooseDriver(deps, { wanted: 'local' })
  await createControlPlane(deps, { name: 'one', driver, ...NEW })
  await connect('one')

  const second = await create('two')

  expect(await deps.contexts.hostContext()).toBeUndefined()
  expect(second.driver).toBe('local')
  expect(deps.ui.notes.at(-1)).toBe(
    'Using driver local: the kubeconfig has no current host context.',
  )
  expect(await list()).toEqual(['local/one *', 'local/two'])
  await remove('two')
  await remove('one')
  expect(await deps.contexts.hostContext()).toBe('work')
})

test('ignores a host context that does not exist any more', async () => {
  const { connect, create, file, text } = machine(HOSTS)
  await create('one')
  await connect('one')
  writeFileSync(file, text().replace(/- name: work\n {2}context: .*\n/, ''))
  const second = await create('two')

  expect(second.driver).toBe('local')
})

test('planes of both kinds are connected beside each other, and left in any order', async () => {
  const { connect, create, deps, list, text } = machine(HOSTS)
  await create('hosted')
  const driver = chooseDriver(deps, { wanted: 'local' })
  await createControlPlane(deps, { name: 'here', driver, ...NEW })
  await connect('hosted')
  await connect('here')

  const both = await list()
  const left = await disconnectControlPlane(deps, { name: 'hosted', signal: NEVER })
  const last = await disconnectControlPlane(deps, { name: undefined, signal: NEVER })

  expect(both).toEqual(['local/here *', 'kubernetes/hosted *'])
  expect(left).toMatchObject({
    context: 'vplane_hosted_default_work',
    currentContext: 'vplane_here',
  })
  expect(last).toMatchObject({ plane: { name: 'here', driver: 'local' }, currentContext: 'work' })
  expect(text()).toBe(HOSTS)
})
