import { assert, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { fillTemplate } from '../../../src/manifests/templates/fill-template.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const VALUES = {
  name: 'dev',
  count: 3,
  isOn: false,
  nothing: undefined,
  empty: null,
  etcd: { labels: { a: 'b' }, args: ['--one', '--two'], deep: { er: 'yes' } },
}

const fill = (text: string, values: Record<string, unknown> = VALUES) =>
  fillTemplate({ path: 'a/b.yaml', source: 'templates/a/b.yaml', text }, values)

test('replaces a string that is only a placeholder by a value of any type', () => {
  const text = [
    'count: ${count}',
    'isOn: "${isOn}"',
    'labels: ${etcd.labels}',
    'args: ${etcd.args}',
    'empty: ${empty}',
    'list:',
    '  - ${etcd.labels}',
    '  - ${name}',
  ].join('\n')

  expect(fill(text)).toEqual([
    {
      count: 3,
      isOn: false,
      labels: { a: 'b' },
      args: ['--one', '--two'],
      empty: null,
      list: [{ a: 'b' }, 'dev'],
    },
  ])
})

test('inserts strings into a longer string', () => {
  expect(fill('a: vplane-${name}-${count}.${etcd.deep.er}\nb: " ${isOn}"\n')).toEqual([
    { a: 'vplane-dev-3.yes', b: ' false' },
  ])
})

test('removes fields and items without value', () => {
  expect(fill('a: ${nothing}\nb: [1, "${nothing}"]\nc: {d: "${nothing}"}\n')).toEqual([
    { b: [1], c: {} },
  ])
})

test('does not change what only looks like a placeholder', () => {
  const text = `a: $(POD)\nb: $name\nc: '{name}'\nd: $$\ne: "$ {name}"\n`

  expect(fill(text)).toEqual([{ a: '$(POD)', b: '$name', c: '{name}', d: '$$', e: '$ {name}' }])
})

test('never reads a value as YAML', () => {
  assert(
    property(string({ unit: 'binary' }), (value) => {
      expect(fill('a: ${v}\nb: x${v}\n', { v: value })).toEqual([{ a: value, b: `x${value}` }])
    }),
    { numRuns: 25 },
  )
  expect(fill('a: ${v}\n', { v: 'x\nb: injected' })).toEqual([{ a: 'x\nb: injected' }])
  expect(fill('a: ${v}\n', { v: '${name}', name: 'no' })).toEqual([{ a: '${name}' }])
})

test('keeps special patterns of replacement as they are', () => {
  expect(fill('a: x${v}\n', { v: '$& $1 $$' })).toEqual([{ a: 'x$& $1 $$' }])
})

test.for([
  ['a: 1\n\nb: ${who}\n', 'templates/a/b.yaml, line 3: there is no value "${who}"'],
  ['a: x-${etcd.image}\n', 'templates/a/b.yaml, line 1: there is no value "${etcd.image}"'],
  ['a: ${}\n', 'there is no value "${}"'],
  ['a: ${name.length}\n', 'there is no value "${name.length}"'],
  ['a: ${etcd.args.length.x}\n', 'there is no value "${etcd.args.length.x}"'],
  ['a: ${toString}\n', 'there is no value "${toString}"'],
  ['a: ${etcd.constructor}\n', 'there is no value "${etcd.constructor}"'],
  ['a: ${__proto__}\n', 'there is no value "${__proto__}"'],
  ['a: x ${etcd.labels}\n', 'line 1: "${etcd.labels}" is not a string: it must be the whole value'],
  ['b: 1\na: x ${nothing}\n', 'line 2: "${nothing}" has no value here'],
] as const)('refuses %j and names the place', ([text, reason]) => {
  const error = thrownBy(() => fill(text))

  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toContain(reason)
})

test('names the place where a template is not YAML', () => {
  expect(thrownBy(() => fill('a: {\n')).message).toContain('cannot read templates/a/b.yaml')
})
