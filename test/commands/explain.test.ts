import { expect, test } from 'vitest'
import Explain from '../../src/commands/explain.ts'
import { runCommandClass } from '../cli/run-command-class.ts'

test('explains a field like kubectl does', async () => {
  const { stdout } = await runCommandClass(Explain, ['etcd.replicas'])

  expect(stdout).toMatch(/^FIELD: etcd.replicas <integer>\n\nDESCRIPTION:\n {4}[A-Z]/)
  expect(stdout).toMatch(/^DEFAULT: {2}1 \(nano, small\); 3 \(ha\)$/m)
  expect(stdout).toMatch(/^VALUES: {3}1, 3, 5$/m)
  expect(stdout).toMatch(/^CHANGE: {3}restarts etcd and kube-apiserver$/m)
})

test('says that a field never changes', async () => {
  const { stdout } = await runCommandClass(Explain, ['version'])

  expect(stdout).toMatch(/^CHANGE: {3}is refused, because /m)
  expect(stdout).toMatch(/^INSTEAD: {2}vplane upgrade NAME --version VERSION$/m)
})

test('lists the fields of the top level, with descriptions', async () => {
  const { stdout } = await runCommandClass(Explain, [])

  expect(stdout).toMatch(/^FIELDS:$/m)
  expect(stdout).toMatch(/^ {2}apiServer <Object>\n {4}[A-Z]/m)
  expect(stdout).not.toContain('goGc')
})

test('prints the tree of fields below a path', async () => {
  const { stdout } = await runCommandClass(Explain, ['backup', '--recursive'])

  expect(stdout).toMatch(
    /FIELDS:\n {2}keep <Object>\n {4}daily <integer>\n.*\n {2}schedule <string> -required-\n/s,
  )
})

test('prints it for scripts', async () => {
  const { result } = await runCommandClass(Explain, ['apiServer.goGc', '--json'])

  expect(result).toMatchObject({
    field: {
      path: 'apiServer.goGc',
      type: 'integer',
      defaults: [{ value: 50, of: [] }],
      minimum: 10,
      maximum: 1000,
      restarts: ['kube-apiserver'],
      fixed: null,
    },
    fields: [],
  })
})

test('says which field was meant', async () => {
  const { error } = await runCommandClass(Explain, ['apiSever.goGc'])

  expect(error).toMatchObject({
    code: 'NOT_FOUND',
    hints: ['did you mean "apiServer.goGc"?', expect.anything()],
  })
})
