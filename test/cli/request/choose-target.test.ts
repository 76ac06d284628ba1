import { expect, test } from 'vitest'
import { chooseTarget, type TargetFlags } from '../../../src/cli/request/choose-target.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'
import { FakeDriver } from '../../support/driver/fake-driver.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

/** A machine with both drivers, whose kubeconfig has this host context. */
function machine(hostContext?: string) {
  const ui = new RecordingUi()
  const asked: string[] = []
  const composition = {
    drivers: [new FakeDriver(), new FakeDriver({ name: 'kubernetes' })],
    hostContext: () => {
      asked.push('hostContext')
      return Promise.resolve(hostContext)
    },
    hostNamespace: (own = 'of-the-context') => Promise.resolve(own),
    ui,
  }
  const choose = (flags: TargetFlags, given = Object.keys(flags), userSpec: UserSpec = {}) =>
    chooseTarget(composition, flags, { given: new Set(given), name: 'dev', userSpec })
  return { asked, choose, ui }
}

test.for([
  [undefined, 'local'],
  ['work', 'kubernetes'],
] as const)('with the host context %s it is the driver %s, said aloud', async ([host, name]) => {
  const { choose, ui } = machine(host)

  expect((await choose({})).driver.name).toBe(name)
  expect(ui.notes).toHaveLength(1)
})

test('asks for no host context when the driver is said', async () => {
  const { asked, choose, ui } = machine()

  const { driver, host } = await choose({ driver: 'kubernetes' })

  expect(driver.name).toBe('kubernetes')
  expect(host?.namespace).toBe('of-the-context')
  expect([asked, ui.notes]).toEqual([[], []])
})

test.for([{ namespace: 'team' }, { 'host-context': 'play' }])(
  'takes %j for the wish to be in a host cluster, against a default',
  async (flags) => {
    const { choose } = machine()

    const { driver, host } = await choose({ driver: 'local', ...flags }, Object.keys(flags))

    expect(driver.name).toBe('kubernetes')
    expect(host?.namespace).toBe(flags.namespace ?? 'of-the-context')
  },
)

test.for([
  [{ driver: 'local', namespace: 'team' }, '--namespace needs the driver "kubernetes"'],
  [{ templates: 'mine' }, '--templates needs the driver "kubernetes"'],
  [{ driver: 'kubernetes', 'bin-dir': '/bin' }, '--bin-dir needs the driver "local"'],
] as const)('refuses %j', async ([flags, message]) => {
  const { choose } = machine()

  expect(await rejectionOf(choose(flags))).toMatchObject({ code: 'USAGE', message })
})

test.for([
  [{}, { sync: {} }, 'vplane-dev'],
  [{}, { sync: { enabled: true } }, 'vplane-dev'],
  [{}, { sync: { enabled: false } }, 'of-the-context'],
  [{ namespace: 'team' }, { sync: {} }, 'team'],
] as const)('with %j puts a plane of %j into the namespace %s', async ([flags, spec, name]) => {
  const { choose } = machine('work')

  expect((await choose(flags, [], spec)).host?.namespace).toBe(name)
})

test('does not mind a folder of binaries that is a mere default', async () => {
  const { choose } = machine('work')

  const { driver } = await choose({ 'bin-dir': '/bin' }, [])

  expect(driver.name).toBe('kubernetes')
})
