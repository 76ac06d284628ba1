import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  credentialLauncher,
  credentialWords,
  launchedContexts,
} from '../../../src/compose/launcher/launched-contexts.ts'
import { pathsOf } from '../../../src/shared/paths.ts'
import { temporaryHome } from '../../cli/temporary-home.ts'

const LOCAL = { name: 'dev', driver: 'local' } as const
const HOSTED = { name: 'dev', driver: 'kubernetes', namespace: 'a', hostContext: 'work' } as const
const SERVER = 'https://dev.example.com'

test.for([
  [LOCAL, undefined, ['local', 'dev']],
  [HOSTED, undefined, ['kubernetes', 'dev', 'a', 'work']],
  [HOSTED, SERVER, ['kubernetes', 'dev', 'a', 'work', `--server=${SERVER}`]],
] as const)('the plugin of %j at %s gets the arguments %j', ([plane, server, words]) => {
  expect(credentialWords(plane, server)).toEqual(words)
})

test('brings the plugin with the first context', async () => {
  const home = temporaryHome()
  onTestFinished(() => home[Symbol.dispose]())
  const file = join(home.root, 'kubeconfig')
  const environment = { VPLANE_HOME: home.root }
  const launcher = credentialLauncher(pathsOf(environment), environment)
  const contexts = launchedContexts({ files: [file] }, launcher)
  const endpoint = { server: SERVER, certificateAuthority: 'CA' }
  const { signal } = new AbortController()

  await contexts.add({ plane: HOSTED, endpoint, user: { kind: 'plugin' } }, signal)

  expect(readFileSync(file, 'utf8')).toContain(launcher.path)
  expect(readFileSync(launcher.path, 'utf8')).toContain(`export VPLANE_HOME='${home.root}'\n`)
  expect(statSync(launcher.path).mode & 0o777).toBe(0o700)
})
