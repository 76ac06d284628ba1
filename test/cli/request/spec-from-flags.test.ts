import { expect, test } from 'vitest'
import { specFromFlags, specsFromFlags } from '../../../src/cli/request/spec-from-flags.ts'
import { DEFAULT_KUBERNETES_VERSION } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { homeForEachTest } from '../temporary-home.ts'

const home = homeForEachTest()

/** What flags are when nothing was said. */
const SILENCE = { version: DEFAULT_KUBERNETES_VERSION }
const NONE = new Set<string>()
const VERSION = new Set(['version'])

test('says the version when a flag, a variable or config.yaml does, and no other default', async () => {
  // What is the default of another vplane is no difference.
  expect(await specFromFlags(SILENCE, NONE)).toEqual({})
  expect(await specFromFlags(SILENCE, VERSION)).toEqual(SILENCE)
  expect(await specFromFlags({ version: '1.35' }, NONE)).toEqual({ version: '1.35' })
})

test('lets a file win over a default version, and a flag over the file', async () => {
  const file = home.write('plane.yaml', 'version: "1.34"\nephemeral: true\n')

  const byDefault = await specFromFlags({ file, version: '1.35' }, NONE)
  const byFlag = await specFromFlags({ file, version: '1.35' }, VERSION)
  const bySet = await specFromFlags({ ...SILENCE, version: '1.35', set: ['version=1.36'] }, NONE)

  expect(byDefault).toEqual({ version: '1.34', ephemeral: true })
  expect(byFlag).toEqual({ version: '1.35', ephemeral: true })
  expect(bySet).toEqual({ version: '1.36' })
})

test('lets a flag repair the version of a file', async () => {
  const file = home.write('plane.yaml', 'version: 1.20\n')

  expect(await specFromFlags({ file, version: '1.35' }, VERSION)).toEqual({ version: '1.35' })
})

test('is ephemeral when the flag or the file says so', async () => {
  const file = home.write('plane.yaml', 'ephemeral: true\n')

  const byFlag = await specFromFlags({ ...SILENCE, ephemeral: true }, NONE)
  const byFile = await specFromFlags({ ...SILENCE, ephemeral: false, file }, NONE)

  expect(byFlag).toEqual({ ephemeral: true })
  expect(byFile).toEqual({ ephemeral: true })
  expect(await specFromFlags({ ...SILENCE, ephemeral: false }, NONE)).toEqual({})
})

test.for([
  ['default', NONE],
  ['given', VERSION],
] as const)('refuses an unknown version, %s', async ([, given]) => {
  const error = await rejectionOf(specFromFlags({ version: '1.2' }, given))

  expect(error.code).toBe('USAGE')
  expect(error.message).toContain('"1.2"')
})

test.for([
  ['missing.yaml', 'no such file or folder'],
  ['', 'it is a folder'],
] as const)('names the file %j that cannot be read', async ([name, reason]) => {
  home.write('plane.yaml', '')
  const file = `${home.root}/${name}`

  const error = await rejectionOf(specFromFlags({ ...SILENCE, file }, NONE))

  expect(error).toMatchObject({ code: 'USAGE', exitCode: 2 })
  expect(error.message).toBe(`cannot read the spec "${file}": ${reason}`)
})

test('names the file and the field of a wrong spec', async () => {
  const file = home.write('plane.yaml', 'apiGroups: few\n')

  const error = await rejectionOf(specFromFlags({ ...SILENCE, file }, NONE))

  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toContain(`${file}:1:1: apiGroups: `)
})

test('adds the labels of flags to those of the file', async () => {
  const file = home.write('plane.yaml', 'labels: {team: shop, env: dev}\n')
  const label = ['env=prod', 'example.com/tier=web']

  expect(await specFromFlags({ ...SILENCE, file, label }, NONE)).toEqual({
    labels: { team: 'shop', env: 'prod', 'example.com/tier': 'web' },
  })
})

test('lets flags that set a field win over --set, and checks them', async () => {
  const set = ['preset=ha', 'storage.size=8Gi']
  const flags = { ...SILENCE, set, preset: 'nano', 'storage-class': 'fast' } as const

  expect(await specFromFlags(flags, NONE)).toEqual({
    preset: 'nano',
    storage: { size: '8Gi', className: 'fast' },
  })
  const error = await rejectionOf(specFromFlags({ ...SILENCE, 'storage-size': 'large' }, NONE))
  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toContain('storage.size')
})

test.for([
  [undefined, 'dev'],
  ['dev', 'dev'],
] as const)('takes the name of a plane from NAME %j or the file', async ([given, name]) => {
  const file = home.write('plane.yaml', 'name: dev\nephemeral: true\n')

  expect(await specsFromFlags({ ...SILENCE, file }, NONE, given)).toEqual([
    { name, userSpec: { ephemeral: true } },
  ])
})

test('sets the fields of flags in each document', async () => {
  const file = home.write('planes.yaml', 'name: web\nlabels: {tier: web}\n---\nname: api\n')
  const flags = { ...SILENCE, file, set: ['idle=30m'], label: ['team=shop'] }

  expect(await specsFromFlags(flags, NONE, undefined)).toMatchObject([
    { name: 'web', userSpec: { idle: '30m', labels: { team: 'shop', tier: 'web' } } },
    { name: 'api', userSpec: { idle: '30m', labels: { team: 'shop' } } },
  ])
})

test.for([
  ['name: dev\n', 'test', 'is the spec of "dev", not of "test"'],
  ['name: a\n---\nname: b\n', 'a', 'has 2 documents, each with the name of its plane'],
  ['ephemeral: true\n', undefined, 'NAME is missing'],
] as const)('refuses the file %j for NAME %j', async ([text, name, message]) => {
  const file = home.write('plane.yaml', text)

  const error = await rejectionOf(specsFromFlags({ ...SILENCE, file }, NONE, name))

  expect(error.code).toBe('USAGE')
  expect(error.message).toContain(message)
})

test('refuses the file of another plane where a command is about one', async () => {
  const file = home.write('plane.yaml', 'name: dev\nephemeral: true\n')

  expect(await specFromFlags({ ...SILENCE, file }, NONE, 'dev')).toEqual({ ephemeral: true })
  expect(await specFromFlags({ ...SILENCE, file }, NONE)).toEqual({ ephemeral: true })
  const error = await rejectionOf(specFromFlags({ ...SILENCE, file }, NONE, 'test'))
  expect(error.message).toContain('is the spec of "dev", not of "test"')
})
