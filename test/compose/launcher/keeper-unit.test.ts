import { expect, test } from 'vitest'
import { keeperUnit, keeperUnitPath } from '../../../src/compose/launcher/keeper-unit.ts'
import { pathsOf } from '../../../src/shared/paths.ts'

function unit(environment: Record<string, string>, script = '/opt/vplane/bin/vplane.js'): string {
  const paths = pathsOf(environment, '/home/me')
  const args = [script, 'keeper', 'run', '--resident', paths.data]
  return keeperUnit({ command: { node: '/usr/bin/node', args }, environment, paths })
}

test('runs the keeper in the foreground, again after a failure, and leaves planes alone', () => {
  expect(unit({})).toBe(`\
# vplane writes this file. To change the service: systemctl --user edit vplane-keeper.service
[Unit]
Description=The keeper of vplane's control planes
StartLimitIntervalSec=10min
StartLimitBurst=20

[Service]
Type=exec
ExecStart="/usr/bin/node" "/opt/vplane/bin/vplane.js" "keeper" "run" "--resident" "/home/me/.local/share/vplane"
StandardOutput=append:/home/me/.local/share/vplane/keeper.log
StandardError=inherit
Restart=on-failure
RestartSec=5s
# The control planes that it starts are processes of this unit, and continue without it.
KillMode=process
OOMPolicy=continue
TasksMax=infinity

[Install]
WantedBy=default.target
`)
})

test.for([
  [{ VPLANE_HOME: '/data/vplane', XDG_DATA_HOME: '/other' }, ['VPLANE_HOME=/data/vplane']],
  [
    { XDG_DATA_HOME: '/data', XDG_CACHE_HOME: '/cache' },
    ['XDG_DATA_HOME=/data', 'XDG_CACHE_HOME=/cache'],
  ],
  [{ XDG_DATA_HOME: 'relative', AWS_SECRET_ACCESS_KEY: 'secret' }, []],
] as const)('sets of %o only where the folders are', ([environment, variables]) => {
  const found = [...unit(environment).matchAll(/^Environment="(.*)"$/gm)]

  expect(found.map(([, variable]) => variable)).toEqual(variables)
  expect(unit(environment)).not.toContain('secret')
})

test('quotes what systemd would replace', () => {
  const text = unit({ VPLANE_HOME: '/a 100%/b' }, String.raw`/x$y/"z"\.js`)

  expect(text).toContain(String.raw`"/usr/bin/node" "/x$$y/\"z\"\\.js" "keeper"`)
  expect(text).toContain('"/a 100%%/b/data"\nEnvironment="VPLANE_HOME=/a 100%%/b"\n')
  expect(text).toContain('StandardOutput=append:/a 100%%/b/data/keeper.log\n')
})

test('is where systemd reads units of the user', () => {
  expect(keeperUnitPath({ XDG_CONFIG_HOME: '/etc/me' })).toBe(
    '/etc/me/systemd/user/vplane-keeper.service',
  )
  expect(keeperUnitPath({ XDG_CONFIG_HOME: 'relative' })).toMatch(
    /\/\.config\/systemd\/user\/vplane-keeper\.service$/,
  )
})
