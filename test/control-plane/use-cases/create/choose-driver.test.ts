import { expect, test } from 'vitest'
import {
  chooseDriver,
  type DriverChoice,
} from '../../../../src/control-plane/use-cases/create/choose-driver.ts'
import type { DriverName } from '../../../../src/control-plane/spec/driver-name.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import { RecordingUi } from '../../../support/driver/recording-ui.ts'
import { thrownBy } from '../../../support/thrown-by.ts'

function choose(names: readonly DriverName[], choice: DriverChoice = {}) {
  const ui = new RecordingUi()
  const drivers = names.map((name) => new FakeDriver({ name }))
  return { chosen: () => chooseDriver({ drivers, ui }, choice).name, ui }
}

const BOTH = ['kubernetes', 'local'] as const

test.for<[string, readonly DriverName[], DriverChoice, DriverName, string[]]>([
  [
    'the host with a current host context',
    BOTH,
    { hostContext: 'work' },
    'kubernetes',
    ['Using driver kubernetes on the host context "work"; to run it here: --driver local'],
  ],
  [
    'this machine without one',
    BOTH,
    {},
    'local',
    ['Using driver local: the kubeconfig has no current host context.'],
  ],
  ['what was said, over a context', BOTH, { wanted: 'local', hostContext: 'work' }, 'local', []],
  ['what was said, without a context', BOTH, { wanted: 'kubernetes' }, 'kubernetes', []],
  ['the only driver, without a word', ['local'], { hostContext: 'work' }, 'local', []],
  ['the only driver, without a context', ['local'], {}, 'local', []],
])('chooses %s', ([, names, choice, driver, notes]) => {
  const { chosen, ui } = choose(names, choice)

  expect(chosen()).toBe(driver)
  expect(ui.notes).toEqual(notes)
})

test('refuses a driver that this vplane does not have, and names those it has', () => {
  const { chosen } = choose(['local'], { wanted: 'kubernetes' })

  expect(thrownBy(chosen)).toMatchObject({
    code: 'UNSUPPORTED',
    message: 'this vplane has no driver "kubernetes"',
    hints: ['--driver local'],
  })
})

test.for([[[]], [['kubernetes']]] as const)('shows where planes run if not here: %j', ([names]) => {
  const error = thrownBy(choose(names).chosen)

  expect(error).toMatchObject({ code: 'UNSUPPORTED', exitCode: 2 })
  expect(error.hints.join('\n')).toMatch(/WSL 2[^]*kubectl config use-context/)
})
