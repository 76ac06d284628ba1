import { expect, test } from 'vitest'
import { parseSecretYaml } from '../../../src/shared/yaml/yaml.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test('reads YAML and JSON', () => {
  expect(parseSecretYaml('users:\n- name: "a"\n', 'x')).toEqual({ users: [{ name: 'a' }] })
  expect(parseSecretYaml('{"users": []}', 'x')).toEqual({ users: [] })
  expect(parseSecretYaml('', 'x')).toBeNull()
})

test('merges what is merged in the text', () => {
  const text = 'base: &base\n  a: 1\nmore:\n  <<: *base\n  b: 2\n'

  expect(parseSecretYaml(text, 'x')).toMatchObject({ more: { a: 1, b: 2 } })
})

test.for([
  ['users:\n- token: "hunter2\n', 'line 3'],
  ['users:\n  token: hunter2\n token: hunter2\n', 'line 3'],
  ['token: hunter2: hunter2\n', 'line 1'],
  ['token: *hunter3', ''],
] as const)('names the place of an error in %j, and quotes nothing secret', ([text, where]) => {
  const error = thrownBy(() => parseSecretYaml(text, 'the kubeconfig "k"'))

  expect(error).toMatchObject({ code: 'INVALID_SPEC' })
  expect(error.message).toContain(`cannot read the kubeconfig "k"`)
  expect(error.message).toContain(where)
  expect(`${error.message}${error.stack ?? ''}`).not.toContain('hunter2')
})
