import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { schemaFiles } from '../../scripts/schemas/schema-files.ts'
import { userSpecSchema } from '../../src/control-plane/spec/spec.ts'
import { packageRoot } from '../../src/shared/package-root.ts'
import { allCommands } from '../commands/all-commands.ts'
import { breachesOf, readSchema } from './read-schema.ts'

const FOLDER = join(packageRoot(), 'schemas')

/** Ends with the exit code and the output of another command. */
const WITHOUT_RESULT = ['run']

test('what is checked in is what the code says; npm run schemas writes it again', () => {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  const there = names.filter((name) => name.endsWith('.json'))

  const files = new Map(there.map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]))

  expect(files).toEqual(schemaFiles())
})

test('every command has the schema of its result, and so have failures', async () => {
  const ids = (await allCommands()).filter(({ hidden }) => hidden !== true).map(({ id }) => id)
  const commands = ids.filter((id) => !WITHOUT_RESULT.includes(id))

  const described = [...schemaFiles().keys()].filter((name) => name.startsWith('results/'))

  expect(new Set(described)).toEqual(
    new Set(['error', ...commands].map((id) => `results/${id.replaceAll(':', '-')}.json`)),
  )
})

/** Their dry runs have a plan, and certificates, instead. */
const WITHOUT_STEPS = ['certs:rotate', 'create']

test('the result of every other command with a dry run has the steps', async () => {
  const dry = (await allCommands()).filter(({ flags = {} }) => 'dry-run' in flags)

  const without = dry.filter(({ id }) => {
    const file = join(FOLDER, `results/${id.replaceAll(':', '-')}.json`)
    return !readFileSync(file, 'utf8').includes('"steps": {')
  })

  expect(without.map(({ id }) => id)).toEqual(WITHOUT_STEPS)
})

const JSON_SCHEMAS = [...schemaFiles().keys()].filter((name) => !/^(crds|policies)\//.test(name))

test.for(JSON_SCHEMAS)('%s allows nothing that it does not name', (name) => {
  const schema: unknown = JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))

  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: expect.stringContaining('vplane'),
  })
  expect(() => readSchema(name)).not.toThrow()
  expect(breachesOf(name, { surprise: true })).not.toEqual([])
})

const SPECS: Array<[unknown, boolean]> = [
  [{}, true],
  [{ version: '1.36', ephemeral: true, apiGroups: 'lean' }, true],
  [{ etcd: { goGc: 20, extraArgs: { a: 'b', c: ['d', 'e'] } } }, true],
  [{ authentication: { jwt: [{ issuer: { url: 'https://a' } }] } }, true],
  [{ featureGates: { AllAlpha: false }, extraSans: ['a'], pki: { algorithm: 'rsa' } }, true],
  [{ version: 1.36 }, false],
  [{ unknown: 1 }, false],
  [{ etcd: { goGc: 5 } }, false],
  [{ etcd: { goGc: 1.5 } }, false],
  [{ etcd: { image: 'x' } }, false],
  [{ apiServer: { extraArgs: { v: 4 } } }, false],
  [{ apiServer: { extraArgs: { '--v': '4' } } }, false],
  [{ featureGates: { 'A=true,B': true } }, false],
  [{ pki: { algorithm: 'dsa' } }, false],
  [[], false],
]

test.for(SPECS)('editors and vplane agree on %j: %s', ([spec, isValid]) => {
  expect(userSpecSchema.safeParse(spec).success).toBe(isValid)
  expect(breachesOf('control-plane-spec.json', spec).length === 0).toBe(isValid)
})

test('a spec file may name its schema', () => {
  expect(breachesOf('control-plane-spec.json', { $schema: './x.json' })).toEqual([])
})

test('every field of a spec has a description for editors, or is a section', () => {
  const schema: unknown = JSON.parse(readFileSync(join(FOLDER, 'control-plane-spec.json'), 'utf8'))
  const { $schema: _, ...fields } = Object(Reflect.get(Object(schema), 'properties'))

  const bare = Object.entries(fields).filter(
    ([, field]) => !('description' in Object(field)) && !('properties' in Object(field)),
  )

  expect(Object.keys(fields)).toContain('version')
  expect(bare).toEqual([])
})
