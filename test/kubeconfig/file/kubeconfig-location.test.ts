import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { fileToEdit, kubeconfigLocation } from '../../../src/kubeconfig/file/kubeconfig-location.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const home = resolve('/home/ada')
const list = (...files: string[]) => files.join(delimiter)

test.for([
  ['the home folder by default', {}, [join(home, '.kube', 'config')]],
  ['the home folder with an empty KUBECONFIG', { KUBECONFIG: '' }, [join(home, '.kube', 'config')]],
  ['the file of KUBECONFIG', { KUBECONFIG: resolve('/a') }, [resolve('/a')]],
  ['the list of KUBECONFIG', { KUBECONFIG: list('/a', '/b') }, [resolve('/a'), resolve('/b')]],
  ['each file once', { KUBECONFIG: list('/a', '/b', '/a') }, [resolve('/a'), resolve('/b')]],
  ['no empty names', { KUBECONFIG: list('', '/a', '') }, [resolve('/a')]],
  ['relative paths from here', { KUBECONFIG: 'config' }, [resolve('config')]],
] as const)('finds %s', ([, environment, files]) => {
  expect(kubeconfigLocation({ environment, home })).toEqual({ files })
})

test('prefers the file of --kubeconfig, whatever KUBECONFIG says', () => {
  const environment = { KUBECONFIG: list('/a', '/b') }

  expect(kubeconfigLocation({ environment, flag: '/c', home }).files).toEqual([resolve('/c')])
  expect(kubeconfigLocation({ environment, flag: '', home }).files).toHaveLength(2)
})

test.for([
  ['the one file, there or not', ['new'], 'new'],
  ['the first that is there', ['new', 'old', 'older'], 'old'],
  ['the last when none is there', ['new', 'newer'], 'newer'],
  ['a folder as if it were a file', ['new', 'folder', 'old'], 'folder'],
] as const)('edits %s', async ([, names, expected]) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'old'), '')
  await writeFile(join(folder, 'older'), '')
  await mkdir(join(folder, 'folder'))

  const file = await fileToEdit({ files: names.map((name) => join(folder, name)) })

  expect(file).toBe(join(folder, expected))
})

test('edits no file when KUBECONFIG names none', async () => {
  const location = kubeconfigLocation({ environment: { KUBECONFIG: delimiter }, home })

  await expect(fileToEdit(location)).rejects.toMatchObject({
    code: 'USAGE',
    message: 'KUBECONFIG is set and names no file',
  })
})
