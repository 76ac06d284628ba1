import { expect, onTestFinished, test } from 'vitest'
import { hostSource } from '../../../src/compose/host/host-source.ts'
import { kubeconfigContexts } from '../../../src/kubeconfig/kubeconfig-contexts.ts'
import { temporaryHome } from '../../cli/temporary-home.ts'
import { HOSTS } from '../../support/data/hosts-kubeconfig.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const NEVER = new AbortController().signal

/** A machine with this kubeconfig. */
function machine(kubeconfig = HOSTS) {
  const home = temporaryHome()
  onTestFinished(() => home[Symbol.dispose]())
  const file = home.write('kubeconfig', kubeconfig)
  const location = { files: [file] }
  const plugin = () => ({ command: 'plugin', args: [] })
  const contexts = kubeconfigContexts({ location, writtenBy: '1.0.0', plugin })
  return {
    source: (options: { context?: string; namespace?: string } = {}) =>
      hostSource({ ...location, contexts, environment: {}, isInteractive: false, ...options }),
    connect: (plane: Parameters<typeof contexts.add>[0]['plane']) => {
      const endpoint = { server: 'https://127.0.0.1:1', certificateAuthority: 'CA' }
      return contexts.add({ plane, endpoint, user: { kind: 'plugin' } }, NEVER)
    },
  }
}

test('is the current context, in its namespace, and opened once', async () => {
  await using source = machine().source()

  expect(await source.context()).toBe('work')
  expect(await source.isKnown()).toBe(true)
  expect(await source.namespace()).toBe('team')
  expect(await source.namespace('vplane-dev')).toBe('vplane-dev')
  expect(await source.open()).toMatchObject({ context: 'work', server: 'https://work.example.com' })
  expect(await source.open()).toBe(await source.open())
})

test('is the context that the user chose', async () => {
  await using source = machine().source({ context: 'play', namespace: 'mine' })

  expect(await source.context()).toBe('play')
  expect(await source.namespace()).toBe('mine')
  expect(await source.namespace('vplane-dev')).toBe('mine')
  expect(await source.open()).toMatchObject({ context: 'play', namespace: 'mine' })
})

test('with a hosted plane current it is the host of that plane', async () => {
  const { connect, source } = machine()
  await connect({ name: 'dev', driver: 'kubernetes', namespace: 'a', hostContext: 'play' })
  await using host = source()

  expect(await host.context()).toBe('play')
  expect(await host.open()).toMatchObject({ context: 'play' })
})

test('with a local plane as current context, searches the previous host and creates nothing there', async () => {
  const { connect, source } = machine()
  await connect({ name: 'dev', driver: 'kubernetes', namespace: 'a', hostContext: 'play' })
  await connect({ name: 'here', driver: 'local' })
  await using host = source()

  expect(await host.context()).toBeUndefined()
  expect(await host.isKnown()).toBe(true)
  expect(await host.open()).toMatchObject({ context: 'play' })
})

test('never is a context of vplane', async () => {
  const { connect, source } = machine()
  const { context } = await connect({ name: 'here', driver: 'local' })

  const error = await rejectionOf(source({ context }).open())

  expect(error).toMatchObject({ code: 'USAGE' })
  expect(error.message).toContain('which cannot be a host cluster')
})

test('reports that no host is known when the current context leads to a plane and had no predecessor', async () => {
  const { connect, source } = machine('')
  await connect({ name: 'here', driver: 'local' })
  await using host = source()

  expect(await host.isKnown()).toBe(false)
  expect((await rejectionOf(host.open())).message).toContain('no host cluster is known')
})

test('reports what is missing without a kubeconfig, and uses the namespace "default"', async () => {
  await using source = machine('').source()

  expect(await source.isKnown()).toBe(false)
  expect((await rejectionOf(source.open())).code).toBe('USAGE')
  expect(await source.namespace()).toBe('default')
})
