import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import {
  ExecCredentials,
  type ExecOptions,
  parseExecCredential,
} from '../../../../src/kube/host/exec/exec-credentials.ts'
import type { ExecPlugin } from '../../../../src/kube/host/exec/exec-plugin.ts'
import { isLoginNeeded } from '../../../../src/kube/kube-error.ts'
import { hasErrorCode } from '../../../../src/shared/errors.ts'
import { waitFor } from '../../../../src/shared/wait.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { type Folder, makeFolder } from '../kubeconfigs.ts'

const V1 = 'client.authentication.k8s.io/v1'

test('runs the plugin once, however many wait', async () => {
  await using folder = await makeFolder()
  const credentials = new ExecCredentials(await counting(folder), options())

  const all = await Promise.all(Array.from({ length: 20 }, () => credentials.current()))

  expect(all).toEqual(Array.from({ length: 20 }, () => ({ authorization: 'Bearer token-1' })))
  expect(await credentials.current()).toEqual({ authorization: 'Bearer token-1' })
})

test('runs it again when its credential has expired', async () => {
  await using folder = await makeFolder()
  let time = Date.parse('2026-01-01T00:00:00Z')
  const plugin = await counting(folder, '"expirationTimestamp": "2026-01-01T00:10:00Z",')
  const credentials = new ExecCredentials(plugin, options({ now: () => time }))
  const tokenAfter = async (minutes: number) => {
    time += minutes * 60_000
    return (await credentials.current()).authorization
  }

  expect(await tokenAfter(0)).toBe('Bearer token-1')
  expect(await tokenAfter(9)).toBe('Bearer token-1')
  expect(await tokenAfter(1)).toBe('Bearer token-2')
})

test('forgets the credential that was refused, and no newer one', async () => {
  await using folder = await makeFolder()
  const credentials = new ExecCredentials(await counting(folder), options())
  const first = await credentials.current()

  credentials.forget(first)
  const second = await credentials.current()
  credentials.forget(first)

  expect(second).toEqual({ authorization: 'Bearer token-2' })
  expect(await credentials.current()).toBe(second)
})

test('gives it variables, arguments and the cluster', async () => {
  await using folder = await makeFolder()
  const seen = join(folder.path, 'seen')
  const keep = `echo "$A $B $1" > ${seen}; echo "$KUBERNETES_EXEC_INFO" >> ${seen}`
  const plugin = await script(folder, `${keep}; ${print('{"token": "abc"}')}`)
  const credentials = new ExecCredentials(
    { ...plugin, args: ['one two'], environment: { B: 'own' }, provideClusterInfo: true },
    options({ environment: { ...process.env, A: 'given', B: 'given' } }),
  )

  await credentials.current()

  const [line, info] = (await readFile(seen, 'utf8')).split('\n')
  expect(line).toBe('given own one two')
  expect(JSON.parse(info ?? '')).toEqual({
    kind: 'ExecCredential',
    apiVersion: V1,
    spec: { interactive: false, cluster: { server: 'https://host' } },
  })
})

test('keeps the cluster from a plugin that does not ask, and the terminal from all', async () => {
  await using folder = await makeFolder()
  const seen = join(folder.path, 'seen')
  const keep = `cat > ${seen}; echo "$KUBERNETES_EXEC_INFO" >> ${seen}`
  const plugin = await script(folder, `${keep}; ${print('{"token": "abc"}')}`)

  await new ExecCredentials({ ...plugin, interactiveMode: 'IfAvailable' }, options()).current()

  expect(JSON.parse(await readFile(seen, 'utf8'))).toMatchObject({ spec: { interactive: false } })
  expect(await readFile(seen, 'utf8')).not.toContain('cluster')
})

test('reports that a login is needed, with the last output of the plugin', async () => {
  await using folder = await makeFolder()
  const plugin = await script(
    folder,
    `printf 'one\\ntwo\\n\\n\\033[31mThe SSO session has expired\\033[0m\\r\\nthree\\n' >&2; exit 4`,
  )

  const error = await rejectionOf(new ExecCredentials(plugin, options()).current())

  expect(error).toMatchObject({
    code: 'FAILED',
    message:
      'login to the host cluster "prod" is needed: ' +
      `the credential plugin "${plugin.command}" failed: two; The SSO session has expired; three`,
    hints: ['kubectl --context prod get --raw /version'],
  })
  expect(isLoginNeeded(error)).toBe(true)
})

test.for([
  ['exit 4', 'failed with exit code 4'],
  ['kill -9 $$', 'was killed by SIGKILL'],
  ['echo hello', 'did not print JSON'],
  ['exec sleep 60', 'did not answer within 0.3 s'],
] as const)('reports for %s that it %s', async ([text, why]) => {
  await using folder = await makeFolder()
  const plugin = await script(folder, text)
  const timeoutMs = text === 'exec sleep 60' ? 300 : 8000

  const current = new ExecCredentials(plugin, options({ timeoutMs })).current()

  await expect(current).rejects.toThrow(`the credential plugin "${plugin.command}" ${why}`)
})

test('reports how to install a missing plugin', async () => {
  const installHint = 'Get it:\n\n  brew install x\n'
  const plugin = { ...somePlugin('no-such-plugin-here'), installHint }

  const error = await rejectionOf(new ExecCredentials(plugin, options()).current())

  expect(error.message).toContain('"no-such-plugin-here" is not installed')
  expect(error.hints).toEqual(['Get it:', 'brew install x'])
})

test('reports that a file is not a program', async () => {
  await using folder = await makeFolder()

  const running = new ExecCredentials(somePlugin(folder.path), options()).current()
  await expect(running).rejects.toThrow('cannot be run: ')
})

test.for([
  ['Never', false, []],
  ['IfAvailable', true, ['open the page\n']],
  ['Always', true, ['open the page\n']],
] as const)('lets a plugin with the mode %s ask a person: %s', async ([mode, isAsking, texts]) => {
  const shown = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await using folder = await makeFolder()
  const seen = join(folder.path, 'seen')
  const text = `echo "$KUBERNETES_EXEC_INFO" > ${seen}; echo 'open the page' >&2`
  const plugin = await script(folder, `${text}; ${print('{"token": "abc"}')}`)
  const asking = { ...plugin, interactiveMode: mode }

  await new ExecCredentials(asking, options({ isInteractive: true })).current()

  const info: unknown = JSON.parse(await readFile(seen, 'utf8'))
  expect(info).toMatchObject({ spec: { interactive: isAsking } })
  expect(shown.mock.calls.map(([chunk]) => String(chunk))).toEqual(texts)
})

test('does not run a plugin that must ask without a terminal', async () => {
  await using folder = await makeFolder()
  const plugin = { ...(await counting(folder)), interactiveMode: 'Always' as const }

  await expect(new ExecCredentials(plugin, options()).current()).rejects.toThrow(
    'must ask the user, and vplane has no terminal here',
  )
  await expect(readFile(join(folder.path, 'runs'))).rejects.toThrow('ENOENT')
})

test('ends the plugin with the client', async () => {
  await using folder = await makeFolder()
  const file = join(folder.path, 'pid')
  const text = `echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 60`
  const plugin = await script(folder, text)
  const controller = new AbortController()
  const current = new ExecCredentials(plugin, options({ signal: controller.signal })).current()
  const failure = expect(current).rejects.toThrow('closed')
  const pid = Number(await untilRead(file))

  controller.abort(new Error('closed'))

  await failure
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('accepts a token without expiry, and a certificate until it expires', () => {
  const certificate = { clientCertificateData: 'cert', clientKeyData: 'key' }
  const expirationTimestamp = '2026-01-02T03:04:05Z'

  expect(parseExecCredential(printed({ token: 'abc' }), V1)).toEqual({
    credential: { authorization: 'Bearer abc' },
    expiresAt: Infinity,
  })
  expect(parseExecCredential(printed({ ...certificate, expirationTimestamp }), V1)).toEqual({
    credential: { certificate: 'cert', key: 'key' },
    expiresAt: Date.parse(expirationTimestamp),
  })
})

test.for([
  ['{"token": "hunter2"', 'did not print JSON'],
  ['', 'did not print JSON'],
  ['{"token": "hunter2"}', `did not print an ExecCredential of ${V1}`],
  [printed({ token: 'hunter2' }, `${V1}beta1`), `did not print an ExecCredential of ${V1}`],
  [printed(undefined), 'printed neither a token nor a certificate'],
  [printed({ token: '' }), 'printed neither a token nor a certificate'],
  [printed({ clientKeyData: 'hunter2' }), 'printed a certificate or a key, not both'],
  [
    printed({ token: 'hunter2', expirationTimestamp: 'tomorrow' }),
    'printed an expirationTimestamp that is not a time',
  ],
] as const)('refuses %s', ([text, message]) => {
  expect(() => parseExecCredential(text, V1)).toThrow(new Error(message))
})

function options(changed: Partial<ExecOptions> = {}): ExecOptions {
  return {
    context: 'prod',
    cluster: () => Promise.resolve({ server: 'https://host' }),
    environment: process.env,
    isInteractive: false,
    timeoutMs: 8000,
    signal: new AbortController().signal,
    ...changed,
  }
}

function somePlugin(command: string): ExecPlugin {
  return {
    command,
    args: [],
    environment: {},
    apiVersion: V1,
    provideClusterInfo: false,
    interactiveMode: 'Never',
    installHint: undefined,
  }
}

/** A plugin that is a shell script. */
async function script({ write }: Folder, text: string): Promise<ExecPlugin> {
  return somePlugin(await write('plugin', `#!/bin/sh\n${text}\n`))
}

/** A plugin whose tokens have the number of its run. */
function counting(folder: Folder, more = ''): Promise<ExecPlugin> {
  const runs = join(folder.path, 'runs')
  const status = `{${more} "token": "token-'$(wc -l < ${runs} | tr -d ' ')'"}`
  return script(folder, `echo run >> ${runs}; ${print(status)}`)
}

function print(status: string): string {
  return `echo '{"kind": "ExecCredential", "apiVersion": "${V1}", "status": ${status}}'`
}

function untilRead(file: string): Promise<string> {
  const read = () => readFile(file, 'utf8').catch(() => undefined)
  return waitFor(read, { what: file, timeoutMs: 5000, intervalMs: 5 })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !hasErrorCode(error, 'ESRCH')
  }
}

function printed(status: unknown, apiVersion = V1): string {
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, status })
}
