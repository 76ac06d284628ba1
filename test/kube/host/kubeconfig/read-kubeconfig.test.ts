import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readKubeconfig } from '../../../../src/kube/host/kubeconfig/read-kubeconfig.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { kubeconfig, makeFolder } from '../kubeconfigs.ts'

test('uses the first file for the current context and for every name', async () => {
  await using folder = await makeFolder()
  const first = await folder.write('first', {
    contexts: [{ name: 'a', context: { cluster: 'first' } }],
  })
  const second = await folder.write('second', {
    'current-context': 'b',
    contexts: [
      { name: 'a', context: { cluster: 'second' } },
      { name: 'b', context: { cluster: 'second' } },
    ],
  })
  const third = await folder.write('third', { 'current-context': 'c' })

  const merged = await readKubeconfig([first, second, third])

  expect(merged.files).toEqual([first, second, third])
  expect(merged.currentContext).toBe('b')
  expect([...merged.contexts.keys()]).toEqual(['a', 'b'])
  expect(merged.contexts.get('a')?.text('cluster')).toBe('first')
})

test('leaves missing and empty files out', async () => {
  await using folder = await makeFolder()
  const empty = await folder.write('empty', '')
  const file = await folder.write('config', kubeconfig({}))

  const merged = await readKubeconfig([join(folder.path, 'none'), empty, file])

  expect(merged.files).toEqual([empty, file])
  expect(merged.currentContext).toBe('prod')
  expect([...merged.clusters.keys(), ...merged.users.keys()]).toEqual(['c', 'u'])
})

test('records in which file an entry is', async () => {
  await using folder = await makeFolder()
  const file = await folder.write('config', kubeconfig({ user: { tokenFile: 'token' } }))

  const { users } = await readKubeconfig([file])

  expect(users.get('u')?.path('tokenFile')).toBe(join(folder.path, 'token'))
})

test.for(['[]', '"text"', '7'])('refuses %s as a kubeconfig', async (text) => {
  await using folder = await makeFolder()
  const file = await folder.write('config', text)

  await expect(readKubeconfig([file])).rejects.toMatchObject({
    code: 'INVALID_SPEC',
    message: `"${file}" is not a kubeconfig`,
  })
})

test('reports the place of an error in a file, without its secrets', async () => {
  await using folder = await makeFolder()
  const file = await folder.write('config', 'users:\n- user: {token: hunter2\n')

  const error = await rejectionOf(readKubeconfig([file]))

  expect(error.message).toContain(`cannot read the kubeconfig "${file}", line 3`)
  expect(error.message).not.toContain('hunter2')
})

test.runIf(process.getuid?.() !== 0)('says that a file may not be read', async () => {
  await using folder = await makeFolder()
  const file = await folder.write('config', '')
  await chmod(file, 0)

  await expect(readKubeconfig([file])).rejects.toMatchObject({ code: 'FAILED' })
})

test('reports that a folder is not a file', async () => {
  await using folder = await makeFolder()

  await expect(readKubeconfig([folder.path])).rejects.toMatchObject({
    code: 'FAILED',
    message: `cannot read the kubeconfig "${folder.path}": it is a folder`,
  })
})
