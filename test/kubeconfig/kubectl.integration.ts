import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { DEFAULT_KUBERNETES_VERSION } from '../../src/control-plane/spec/kubernetes-version.ts'
import { ensureBinaries } from '../../src/drivers/local/binaries/ensure-binaries.ts'
import { editKubeconfigFile } from '../../src/kubeconfig/file/edit-kubeconfig.ts'
import { fileToEdit } from '../../src/kubeconfig/file/kubeconfig-location.ts'
import { lockFile } from '../../src/kubeconfig/file/lock-file.ts'
import { readKubeconfigs } from '../../src/kubeconfig/read-kubeconfigs.ts'
import { removeContext } from '../../src/kubeconfig/contexts/remove-context.ts'
import { renderKubeconfig } from '../../src/kubeconfig/contexts/entry-items.ts'
import { setContext } from '../../src/kubeconfig/contexts/set-context.ts'
import { pathsOf } from '../../src/shared/paths.ts'
import { silentUi } from '../../src/shared/ui.ts'
import { sample } from './arbitrary-kubeconfig.ts'
import { CA, embeddedEntry, execEntry } from './entries.ts'
import { temporaryFolder } from './temporary-folder.ts'

const run = promisify(execFile)
const KIND = `contexts:
- name: kind
  context: {cluster: kind, user: kind}
- name: other
  context: {cluster: kind, user: kind}
current-context: kind
`
let kubectlPath = ''

beforeAll(async () => {
  const found = await ensureBinaries(
    { kubernetesVersion: DEFAULT_KUBERNETES_VERSION, etcdVersion: '0.0.0', names: ['kubectl'] },
    {
      paths: pathsOf(process.env),
      environment: process.env,
      ui: silentUi,
      signal: new AbortController().signal,
    },
  )
  kubectlPath = found.kubectl
})

test('kubectl reads all of what is written', async () => {
  const file = await fileWith(setContext(KIND, execEntry('dev')))

  const name = 'vplane_dev'
  const marked = (extension: object = {}) => [
    { name: 'vplane.dev/context', extension: { formatVersion: 1, ...extension } },
  ]
  const cluster = {
    server: 'https://127.0.0.1:20443',
    'certificate-authority-data': Buffer.from(CA).toString('base64'),
    extensions: marked(),
  }
  const extensions = marked({
    writtenBy: '0.1.0',
    plane: 'dev',
    driver: 'local',
    previousContext: 'kind',
    undo: { added: ['clusters', 'users'], replaced: { 'current-context': ' kind' } },
  })
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: '/opt/vplane-credential',
    args: ['local', 'dev'],
    env: null,
    installHint: expect.any(String),
    interactiveMode: 'Never',
    provideClusterInfo: true,
  }
  expect(await view(file)).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster }],
    contexts: [
      { name: 'kind', context: { cluster: 'kind', user: 'kind' } },
      { name: 'other', context: { cluster: 'kind', user: 'kind' } },
      { name, context: { cluster: name, user: name, extensions } },
    ],
    users: [{ name, user: expect.objectContaining({ exec }) }],
  })
})

test('kubectl reads only the new context as a change in any kubeconfig', async () => {
  // kubectl takes names such as `on` for truth values where they are not quoted, which is not what is tested here.
  for (const { contexts, text } of fc.sample(sample, { numRuns: 40, seed: 7 })) {
    const file = await fileWith(text)
    const before = await view(file)
    await editKubeconfigFile(file, (old) => setContext(old, embeddedEntry('dev')))

    const after = await view(file)

    expect(after['current-context']).toBe('vplane_dev')
    expect(namesIn(after, 'contexts').sort()).toEqual([...contexts, 'vplane_dev'].sort())
    for (const list of ['clusters', 'contexts', 'users']) {
      expect(namesIn(after, list).filter((name) => name !== 'vplane_dev')).toEqual(
        namesIn(before, list),
      )
    }
  }
})

const HARD = [
  'on',
  '1e3',
  '0755',
  'a: b',
  '"',
  'x\u0085y',
  'x\u2028y',
  '\u007F',
  '😀',
  '{a',
  '- a\nb',
]

test.for(HARD)('kubectl reads the name %j as it is', async (name) => {
  const file = await fileWith(renderKubeconfig(execEntry('dev', { name })))

  const config = await view(file)

  expect(config['current-context']).toBe(name)
  expect(namesIn(config, 'users')).toEqual([name])
})

test('a context is removed completely after kubectl has written the file again', async () => {
  const file = await fileWith(setContext(KIND, execEntry('dev')))
  const original = await view(await fileWith(KIND))
  await kubectl(['config', 'use-context', 'kind'], file)
  await kubectl(['config', 'use-context', 'vplane_dev'], file)
  expect(await readFile(file, 'utf8')).not.toContain('"vplane_dev"')

  await editKubeconfigFile(file, (text) => removeContext(text, 'vplane_dev'))

  expect(await view(file)).toEqual(original)
})

test('a default namespace that kubectl set outlives another connect', async () => {
  const file = await fileWith(setContext(KIND, execEntry('dev')))
  await kubectl(['config', 'set-context', '--current', '--namespace=team'], file)

  await editKubeconfigFile(file, (text) => setContext(text, execEntry('dev')))

  const { stdout } = await kubectl(
    ['config', 'view', '--minify', '-o', 'jsonpath={..namespace}'],
    file,
  )
  expect(stdout).toBe('team')
})

test('kubectl does not write while the lock is held, and vplane waits for kubectl', async () => {
  const file = await fileWith(KIND)
  const lock = await lockFile(file)

  await expect(kubectl(['config', 'use-context', 'other'], file)).rejects.toMatchObject({
    stderr: expect.stringContaining(`${file}.lock: file exists`),
  })
  await lock[Symbol.asyncDispose]()

  await expect(kubectl(['config', 'use-context', 'other'], file)).resolves.toBeDefined()
})

test('nothing that kubectl writes is lost when vplane writes at the same time', async () => {
  const file = await fileWith(KIND)
  const names = Array.from({ length: 8 }, (_, index) => `c${index}`)
  const setInTurn = async () => {
    for (const name of names) {
      await setByKubectl(name, file)
    }
  }

  await Promise.all([
    setInTurn(),
    ...names.map(async (plane) =>
      editKubeconfigFile(file, (text) => setContext(text, execEntry(plane))),
    ),
  ])

  // The other way round there is no promise: kubectl reads before it locks, and then removes what it did not read.
  expect(namesIn(await view(file), 'contexts')).toEqual(
    expect.arrayContaining(['kind', 'other', ...names]),
  )
})

test.for([
  [['old']],
  [['new']],
  [['new', 'old']],
  [['new', 'old', 'older']],
  [['older', 'old']],
  [['new', 'newer']],
] as const)('kubectl writes a new context to the same one of %j', async ([names]) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'old'), KIND)
  await writeFile(join(folder, 'older'), 'current-context: other\n')
  const files = names.map((name) => join(folder, name))
  const expected = await fileToEdit({ files })

  await kubectl(['config', 'set-context', 'fresh', '--cluster=c'], files.join(delimiter))

  const written = await Promise.all(
    files.map(async (file) => ((await readText(file)).includes('fresh') ? [file] : [])),
  )
  expect(written.flat()).toEqual([expected])
})

test.for([[['a', 'b']], [['b', 'a']], [['empty', 'missing', 'b', 'a']], [['empty']]] as const)(
  'kubectl finds the same current context in %j',
  async ([names]) => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'kube'))
    await writeFile(join(folder, 'a'), 'current-context: kind\n')
    await writeFile(join(folder, 'b'), KIND.replace(/: kind\n$/, ': other\n'))
    await writeFile(join(folder, 'empty'), '')
    const files = names.map((name) => join(folder, name))

    const { currentContext } = await readKubeconfigs({ files })

    const { stdout } = await kubectl(
      ['config', 'view', '-o', 'jsonpath={.current-context}'],
      files.join(delimiter),
    )
    expect(stdout).toBe(currentContext ?? '')
  },
)

async function fileWith(text: string): Promise<string> {
  const file = join(await temporaryFolder(), 'config')
  await writeFile(file, text)
  return file
}

async function kubectl(args: readonly string[], kubeconfig: string) {
  return run(kubectlPath, args, { env: { ...process.env, KUBECONFIG: kubeconfig } })
}

/** kubectl does not wait for a lock. */
async function setByKubectl(name: string, file: string): Promise<void> {
  for (;;) {
    try {
      await kubectl(['config', 'set-context', name, '--cluster=c'], file)
      return
    } catch (error) {
      expect(String(error)).toContain('.lock: file exists')
    }
  }
}

async function view(file: string): Promise<Record<string, unknown>> {
  const { stdout } = await kubectl(['config', 'view', '--raw', '-o', 'json'], file)
  return JSON.parse(stdout)
}

function namesIn(config: Record<string, unknown>, list: string): string[] {
  const entries = config[list]
  return Array.isArray(entries) ? entries.map(({ name }: { name: string }) => name) : []
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}
