import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { processEnvironment } from '../../src/shared/environment.ts'
import { packageRoot } from '../../src/shared/package-root.ts'
import { pathsOf } from '../../src/shared/paths.ts'
import { breachesOf } from './read-schema.ts'

const root = mkdtempSync(join(tmpdir(), 'vplane-json-'))

// All of vplane lives in the folder, but for the binaries.
symlinkSync(pathsOf(processEnvironment()).cache, join(root, 'cache'))
const environment = {
  ...processEnvironment(),
  VPLANE_HOME: root,
  KUBECONFIG: join(root, 'kubeconfig'),
}

afterAll(async () => {
  await vplane('delete', 'dev', '--yes', '--ignore-not-found')
  rmSync(root, { recursive: true, force: true })
})

test('all commands say under --json what their schemas say, from create to delete', async () => {
  const steps = [
    ['list', 'list'],
    ['create', 'create dev --connect --ephemeral'],
    ['create', 'create dev --no-connect --ephemeral'],
    ['list', 'list'],
    ['describe', 'describe dev'],
    ['kubeconfig', 'kubeconfig dev'],
    ['logs', 'logs dev --tail 3'],
    ['certs-check', 'certs check dev'],
    ['certs-rotate', 'certs rotate dev --yes'],
    ['debug', `debug dev --output ${join(root, 'debug.tar.gz')}`],
    ['metrics', 'metrics dev'],
    ['metrics', 'metrics dev --component etcd'],
    ['events', 'events dev'],
    ['connect', 'connect dev'],
    ['connect', 'connect dev --print'],
    ['disconnect', 'disconnect dev'],
    ['pause', 'pause dev'],
    ['describe', 'describe dev'],
    ['resume', 'resume dev'],
    ['error', 'create dev'],
    ['error', 'describe other'],
    ['error', 'describe Other'],
    ['error', 'delete dev'],
    ['delete', 'delete dev --yes'],
    ['error', 'delete dev --yes'],
    ['error', 'create --no-such-flag'],
  ] as const

  for (const [schema, words] of steps) {
    const { exitCode, stdout } = await vplane(...words.split(' '))

    const texts = schema === 'logs' ? stdout.trimEnd().split('\n') : [stdout]
    for (const text of texts) {
      const said: unknown = JSON.parse(text)
      expect(breachesOf(`results/${schema}.json`, said), words).toEqual([])
    }
    expect(exitCode === 0, words).toBe(schema !== 'error')
  }
})

interface Ended {
  exitCode: number
  stdout: string
}

function vplane(...argv: string[]): Promise<Ended> {
  const command = join(packageRoot(), 'bin', 'vplane.js')
  return new Promise((resolve) => {
    const started = execFile(
      process.execPath,
      [command, ...argv, '--json'],
      { env: environment },
      (_, stdout) => resolve({ exitCode: started.exitCode ?? -1, stdout }),
    )
    started.stdin?.end()
  })
}
