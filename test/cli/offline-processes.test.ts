import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { resolveSpec } from '../../src/control-plane/spec/resolve-spec.ts'
import { packageRoot } from '../../src/shared/package-root.ts'
import { fakeMachine } from '../drivers/local/fake-machine.ts'
import { endsWithTest } from '../support/ends-with-test.ts'
import { shakeHands } from '../support/shake-hands.ts'

const DEV = join(packageRoot(), 'bin/dev.js')
const OFFLINE = 'VPLANE_OFFLINE is set, and no Go is installed to build with'

test.runIf(process.platform === 'linux')('the keeper downloads nothing offline', async () => {
  const { port, root, vplane } = await pausedPlane()
  const keeper = vplane(['keeper', 'run', join(root, 'data')])

  const failure = () => shakeHands(port).then(() => '', String)
  await expect.poll(failure, { timeout: 20_000 }).not.toContain('ECONNREFUSED')
  keeper.kill()

  expect(await text(keeper.stderr)).toContain(OFFLINE)
})

test('the credential plugin downloads nothing offline', async () => {
  const { vplane } = await pausedPlane()
  const plugin = vplane(['credential', 'local', 'dev'])

  const [stderr, [code]] = await Promise.all([text(plugin.stderr), once(plugin, 'exit')])

  expect(stderr).toContain(OFFLINE)
  expect(code).toBe(7)
})

/** A plane that has paused itself, without binaries, and the setting `offline` in config.yaml. */
async function pausedPlane() {
  const { driver, operation, root } = endsWithTest(fakeMachine())
  const userSpec = { idle: '30m' }
  const request = { name: 'dev', userSpec, spec: resolveSpec(userSpec), wait: true }
  const plane = await driver.create(request, operation)
  const idle = { since: new Date(), isStill: async () => true }
  await driver.pause(plane, operation, { idle })
  mkdirSync(join(root, 'config'))
  writeFileSync(join(root, 'config/config.yaml'), 'offline: true\n')
  // A download would fail.
  const env = {
    PATH: '',
    VPLANE_HOME: root,
    KUBECONFIG: join(root, 'kubeconfig'),
    HTTPS_PROXY: 'http://127.0.0.1:1',
  }
  return {
    port: Number(new URL((await driver.endpoint(plane)).server).port),
    root,
    vplane: (args: readonly string[]) =>
      spawn(process.execPath, [DEV, ...args], { stdio: ['ignore', 'ignore', 'pipe'], env }),
  }
}
