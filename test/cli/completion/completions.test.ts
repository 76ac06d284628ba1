import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CompletionSources, completionsFor } from '../../../src/cli/completion/completions.ts'
import { loadCommands } from '../../../src/cli/catalog/command-catalog.ts'
import type { CommandInfo } from '../../../src/cli/catalog/command-info.ts'
import type { SpecSchema } from '../../../src/control-plane/explain/spec-schema.ts'
import { SOME_COMMANDS } from '../some-commands.ts'

const SPEC: SpecSchema = {
  properties: {
    $schema: { type: 'string' },
    api: {
      type: 'object',
      properties: {
        args: { type: 'object', additionalProperties: { type: 'string' } },
        gc: { type: 'integer', description: 'Memory. Or CPU.' },
      },
    },
    groups: { type: 'string', enum: ['all', 'lean'] },
    quick: { type: 'boolean' },
    version: { type: 'string' },
  },
}

const SOURCES: CompletionSources = {
  planes: () => ['dev', 'demo', 'prod'],
  contexts: () => ['kind-a', 'arn:aws:b'],
  namespaces: () => ['team-a', 'team-b'],
  versions: () => ['1.36.3', '1.35.4'],
  components: () => ['etcd', 'kube-apiserver'],
  settings: () => ['driver', 'version', 'offline'],
  snapshots: () => ['dev-1', 'prod-1'],
  spec: () => SPEC,
}

/** Those of day two beside them. */
const COMMANDS: readonly CommandInfo[] = [
  ...SOME_COMMANDS,
  { id: 'set', hidden: true, args: { name: {}, field: { multiple: true } } },
  { id: 'explain', hidden: true, args: { path: {} } },
  { id: 'snapshot:delete', hidden: true, args: { id: { multiple: true } } },
  {
    id: 'restore',
    hidden: true,
    args: { name: {} },
    flags: { from: { type: 'option', helpValue: 'SNAPSHOT' } },
  },
]

/** What is offered behind a command line. */
const complete = (line: string) => completionsFor(line.split(' '), COMMANDS, SOURCES)

/** The words alone, without descriptions. */
const words = (line: string) => complete(line).candidates.map((one) => one.split('\t')[0])

test('offers all commands and topics first, without aliases and hidden ones', () => {
  expect(words('')).toEqual(['create', 'connect', 'delete', 'logs', 'config', 'completion', 'help'])
})

test.for([
  ['a command what it does', 'cr', 'create\tMakes a control plane.'],
  ['a topic which commands it has', 'conf', 'config\tget, set'],
  ['a field the first sentence about it', 'explain api.gc', 'api.gc\tMemory.'],
] as const)('says beside %s', ([, line, candidate]) => {
  expect(complete(line)).toEqual({ candidates: [candidate], directive: 4 })
})

test.for([
  ['co', ['connect', 'config', 'completion']],
  ['config ', ['get', 'set']],
  ['config s', ['set']],
  ['help c', ['create', 'connect', 'config', 'completion']],
  ['help config g', ['get']],
  ['-', ['--help', '--version']],
  ['nosuch ', []],
  ['completion ', ['bash', 'zsh']],
] as const)('completes the command in %j', ([line, expected]) => {
  expect(words(line)).toEqual(expected)
})

test.for([
  ['connect ', ['dev', 'demo', 'prod']],
  ['connect d', ['dev', 'demo']],
  ['delete dev ', ['demo', 'prod']],
  ['rm dev demo ', ['prod']],
  ['delete --yes d', ['dev', 'demo']],
  ['delete -y d', ['dev', 'demo']],
  ['connect --context kind-a p', ['prod']],
  ['connect dev ', []],
  ['create ', []],
  ['logs dev ', ['etcd', 'kube-apiserver']],
  ['config get dr', ['driver']],
  ['config set driver ', ['kubernetes', 'local']],
  ['config set version 1.35', ['1.35.4']],
  ['config set offline ', ['true', 'false']],
] as const)('completes the argument in %j', ([line, expected]) => {
  expect(words(line)).toEqual(expected)
})

test.for([
  ['create --driver ', ['kubernetes', 'local']],
  ['create --driver l', ['local']],
  ['create --driver=l', ['--driver=local']],
  ['create --version 1.36', ['1.36.3']],
  ['create --version=', ['--version=1.36.3', '--version=1.35.4']],
  ['connect --host-context arn:', ['arn:aws:b']],
  ['connect --context arn:', ['arn:aws:b']],
  ['create --wait=', []],
  ['logs dev --namespace ', ['team-a', 'team-b']],
  ['logs dev -n team-b', ['team-b']],
  ['logs dev --host-context k', ['kind-a']],
  ['logs dev --preset ', ['nano', 'ha']],
] as const)('completes the value in %j', ([line, expected]) => {
  expect(words(line)).toEqual(expected)
})

test.for([
  ['connect --context kind-a p', ['prod']],
  ['connect -n team-a --context k', ['kind-a']],
  ['move dev --to-context k', ['kind-a']],
  ['move dev --to-namespace ', ['team-a', 'team-b']],
  ['delete dev p', ['prod']],
  ['restore d', ['dev', 'demo']],
  ['restore --from dev.bundle --name d', []],
] as const)('completes %j with the flags that commands have', async ([line, expected]) => {
  const { candidates } = completionsFor(line.split(' '), await loadCommands(), SOURCES)

  expect(candidates).toEqual(expected)
})

test.for([
  ['set dev ', ['api.', 'groups=', 'quick=', 'version=']],
  ['set dev quick=true a', ['api.args.', 'api.gc=']],
  ['set dev api.g', ['api.gc=']],
  ['set dev api.args.', []],
  ['set dev api.gc=', []],
  ['set dev nosuch.', []],
  ['set dev groups=', ['groups=all', 'groups=lean']],
  ['set dev quick=t', ['quick=true']],
  ['set dev version=1.36', ['version=1.36.3']],
  ['set d', ['dev', 'demo']],
  ['create --set gr', ['groups=']],
  ['create --set=gr', ['--set=groups=']],
  ['create --set=groups=', ['--set=groups=all', '--set=groups=lean']],
  ['explain ', ['api', 'groups', 'quick', 'version']],
  ['explain a', ['api', 'api.args', 'api.gc']],
  ['explain api.g', ['api.gc']],
] as const)('completes the path of a field in %j', ([line, expected]) => {
  expect(words(line)).toEqual(expected)
})

test('lets the shell add a space after a value, and none after a path', () => {
  expect(complete('set dev gr').directive).toBe(6)
  expect(complete('create --set api.').directive).toBe(6)
  expect(complete('set dev groups=l').directive).toBe(4)
  expect(complete('explain gr').directive).toBe(4)
})

test.for([
  ['snapshot delete ', ['dev-1', 'prod-1'], 4],
  ['snapshot delete dev-1 ', ['prod-1'], 4],
  ['restore dev --from d', ['dev-1'], 0],
  ['restore --from ./', [], 0],
] as const)('completes the snapshot in %j', ([line, candidates, directive]) => {
  expect(complete(line)).toEqual({ candidates, directive })
})

test.for([
  [
    'those that are not given yet, and help',
    'create dev --driver local --wait -',
    ['--json', '--version', '--file', '--bin-dir', '--set', '--help'],
  ],
  ['one again that may be repeated', 'create --set a=b --se', ['--set']],
  ['the negated one once --no is typed', 'create --no', ['--no-wait']],
] as const)('offers of the flags %s', ([, line, expected]) => {
  expect(words(line)).toEqual(expected)
})

test.for([
  ['create -f ', 0],
  ['create --file sp', 0],
  ['create --bin-dir ', 16],
  ['create ', 4],
  ['connect dev -- ', 0],
  ['connect dev -- kubectl --con', 0],
] as const)('leaves %j to the shell with directive %i', ([line, directive]) => {
  expect(complete(line)).toEqual({ candidates: [], directive })
})

test('looks up nothing that is not asked for', () => {
  const fail = () => {
    throw new Error('looked up')
  }
  const sources: CompletionSources = {
    planes: fail,
    contexts: fail,
    namespaces: fail,
    versions: fail,
    components: fail,
    settings: fail,
    snapshots: fail,
    spec: fail,
  }

  expect(() => completionsFor(['create', '--dr'], SOME_COMMANDS, sources)).not.toThrow()
})

test('answers every command line with words that begin as the last one does', () => {
  const known = ['', ...'create config set rm -- -f --driver --wait -y dev'.split(' ')]
  const word = fc.oneof(fc.constantFrom(...known), fc.string())
  fc.assert(
    fc.property(fc.array(word), word, (before, current) => {
      const answer = completionsFor([...before, current], COMMANDS, SOURCES)

      expect([0, 4, 6, 16]).toContain(answer.directive)
      expect(answer.candidates.filter((one) => !one.startsWith(current))).toEqual([])
    }),
  )
})
