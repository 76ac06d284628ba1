import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keeperService } from '../../../src/compose/launcher/keeper-service.ts'
import { keeperPlace } from '../../../src/compose/launcher/keeper-place.ts'
import { pathsOf } from '../../../src/shared/paths.ts'
import { tryFileLock } from '../../../src/shared/files/file-lock.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const SHOWN = 'ActiveState=active\nUnitFileState=enabled\n'

/** A user for whom a keeper runs, with a `systemctl` that notes its arguments, and then runs a script. */
async function user(script: string | undefined = `echo '${SHOWN}'`) {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const root = folder.path
  const calls = join(root, 'calls')
  if (script !== '') {
    const text = `#!/bin/sh\necho "$@" >>${calls}\n${script}\n`
    writeFileSync(join(root, 'systemctl'), text, { mode: 0o700 })
  }
  const environment = { PATH: root, XDG_CONFIG_HOME: join(root, 'config'), VPLANE_HOME: root }
  const paths = pathsOf(environment)
  const lock = tryFileLock(keeperPlace(paths.data).lock)
  onTestFinished(() => lock?.[Symbol.asyncDispose]())
  let keepers = 0
  const ensureKeeper = async () => void keepers++
  return {
    data: paths.data,
    unit: join(root, 'config/systemd/user/vplane-keeper.service'),
    service: keeperService({ environment, paths, ensureKeeper }),
    calls: () => readFileSync(calls, 'utf8').replaceAll('--user ', '').trim().split('\n'),
    keepers: () => keepers,
  }
}

test('installs a unit that everyone may read, and a log that only the user may', async () => {
  const { calls, data, service, unit } = await user()

  expect(await service.install()).toMatchObject({
    file: unit,
    isInstalled: true,
    isCurrent: true,
    isEnabled: true,
    state: 'active',
    isKeeping: true,
  })
  expect(calls().filter((call) => !call.startsWith('show '))).toEqual([
    'daemon-reload',
    'enable vplane-keeper.service',
    'restart vplane-keeper.service',
  ])
  expect(statSync(unit).mode & 0o777).toBe(0o644)
  expect(statSync(keeperPlace(data).log).mode & 0o777).toBe(0o600)
})

test('does not restart a keeper whose unit stays the same', async () => {
  const { calls, service } = await user()
  await service.install()

  await service.install()

  expect(calls().filter((call) => /^(re)?start/.test(call))).toEqual([
    'restart vplane-keeper.service',
    'start vplane-keeper.service',
  ])
})

test('shows a keeper that runs without a service, and a unit that starts another vplane', async () => {
  const { service, unit } = await user()
  expect(await service.status()).toMatchObject({ isInstalled: false, isKeeping: true })
  await service.install()
  writeFileSync(unit, readFileSync(unit, 'utf8').replace('/bin/', '/former/'))

  expect(await service.status()).toMatchObject({ isInstalled: true, isCurrent: false })
})

test('removes the unit, and leaves a keeper as commands start it', async () => {
  const { calls, keepers, service, unit } = await user()
  await service.install()

  expect(await service.uninstall()).toBe(true)
  expect(existsSync(unit)).toBe(false)
  expect(calls()).toContain('disable --now vplane-keeper.service')
  expect(keepers()).toBe(1)
  expect(await service.uninstall()).toBe(false)
  expect(keepers()).toBe(1)
})

test('makes systemd forget that the keeper failed too often', async () => {
  const { calls, service } = await user('echo ActiveState=failed')

  await service.install()

  expect(calls().indexOf('reset-failed vplane-keeper.service')).toBe(1)
})

test.for([
  ['', 'UNSUPPORTED', 'this needs systemd, and there is no "systemctl" on PATH'],
  [
    'echo "Failed to connect to bus: No medium found" >&2; exit 1',
    'UNREACHABLE',
    'no systemd of this user answers: Failed to connect to bus: No medium found',
  ],
  [
    'echo "Access denied." >&2; exit 1',
    'FAILED',
    'systemctl show vplane-keeper.service --property=ActiveState,UnitFileState failed: Access denied',
  ],
] as const)('writes nothing when systemctl is %o', async ([script, code, message]) => {
  const { service, unit } = await user(script)

  const error = await rejectionOf(service.install())

  expect(error).toMatchObject({ code, message })
  expect(error.hints.length).toBeGreaterThan(0)
  expect(existsSync(unit)).toBe(false)
})
