import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readKubeconfigs } from '../../src/kubeconfig/read-kubeconfigs.ts'
import { setContext } from '../../src/kubeconfig/contexts/set-context.ts'
import { execEntry } from './entries.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('reads nothing from files that are missing or empty', async () => {
  const location = await filesWith({ empty: '' })

  const read = await readKubeconfigs({ files: [...location.files, '/nowhere/config'] })

  expect(read).toEqual({ contextNames: [], vplaneContexts: [] })
  expect(await readKubeconfigs({ files: [] })).toEqual(read)
})

test('uses the current context of the first file that names one', async () => {
  const location = await filesWith({
    a: 'current-context: ""\n',
    b: 'current-context: b\n',
    c: 'current-context: c\n',
  })

  expect((await readKubeconfigs(location)).currentContext).toBe('b')
})

test('uses a context from the first file that has it', async () => {
  const dev = setContext('', execEntry('dev'))
  const location = await filesWith({
    a: 'contexts: [{name: vplane_prod}]\n',
    b: dev,
    c: setContext(setContext('', execEntry('prod')), execEntry('dev', { server: 'https://c' })),
  })

  const { contextNames, vplaneContexts } = await readKubeconfigs(location)

  expect(contextNames).toEqual(['vplane_prod', 'vplane_dev'])
  expect(vplaneContexts).toEqual([
    expect.objectContaining({
      name: 'vplane_dev',
      file: location.files[1],
      server: 'https://127.0.0.1:20443',
    }),
  ])
})

test('reports a context as current that another file makes current', async () => {
  const dev = setContext('', execEntry('dev'), { makeCurrent: false })
  const prod = setContext('', execEntry('prod'))
  const location = await filesWith({ a: 'current-context: vplane_dev\n', b: dev, c: prod })

  const { vplaneContexts } = await readKubeconfigs(location)

  expect(vplaneContexts.map(({ isCurrent, name }) => [name, isCurrent])).toEqual([
    ['vplane_dev', true],
    ['vplane_prod', false],
  ])
})

test('names the file that is not a kubeconfig', async () => {
  const location = await filesWith({ a: 'contexts: []\n', b: 'contexts: [\n' })

  await expect(readKubeconfigs(location)).rejects.toMatchObject({
    code: 'INVALID_SPEC',
    message: expect.stringContaining(`kubeconfig "${location.files[1]}": invalid YAML at line 2`),
  })
})

test('names the file that cannot be read', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'config'))

  await expect(readKubeconfigs({ files: [join(folder, 'config')] })).rejects.toMatchObject({
    code: 'FAILED',
    message: `cannot read "${join(folder, 'config')}": it is a folder`,
  })
})

async function filesWith(texts: Record<string, string>): Promise<{ files: string[] }> {
  const folder = await temporaryFolder()
  const files = Object.entries(texts).map(async ([name, text]) => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  })
  return { files: await Promise.all(files) }
}
