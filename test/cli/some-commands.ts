import type { CommandInfo } from '../../src/cli/catalog/command-info.ts'

/** A few commands of every shape, as the manifest describes them. */
export const SOME_COMMANDS: readonly CommandInfo[] = [
  {
    id: 'create',
    summary: 'Makes a control plane.',
    description: 'It is ready when the API answers.',
    group: 'start',
    examples: [
      '<%= config.bin %> create dev',
      { description: 'Another version.', command: '<%= config.bin %> create dev --version 1.35' },
    ],
    args: { name: { description: 'Name of the plane.', required: true } },
    flags: {
      json: { type: 'boolean', summary: 'Prints the result as JSON.' },
      driver: { type: 'option', summary: 'How to run it.', options: ['kubernetes', 'local'] },
      version: {
        type: 'option',
        summary: 'Kubernetes version.',
        helpValue: 'VERSION',
        default: '1.36.3',
      },
      file: { type: 'option', char: 'f', summary: 'The spec.', helpValue: 'FILE' },
      'bin-dir': {
        type: 'option',
        summary: 'Binaries.',
        helpValue: 'FOLDER',
        helpGroup: 'Local driver',
      },
      set: { type: 'option', summary: 'Sets a field.', multiple: true, helpValue: 'PATH=VALUE' },
      wait: { type: 'boolean', summary: 'Waits.', allowNo: true },
      secret: { type: 'boolean', hidden: true, summary: 'Not shown.' },
    },
  },
  {
    id: 'connect',
    summary: 'Connects to a control plane.',
    group: 'planes',
    passedCommand: '[-- CMD...]',
    args: { name: { description: 'Name of the plane.' } },
    flags: {
      'host-context': { type: 'option', summary: 'Host context.', aliases: ['context'] },
    },
  },
  {
    id: 'delete',
    aliases: ['rm'],
    summary: 'Deletes control planes.',
    group: 'planes',
    args: { name: { description: 'Names.', multiple: true } },
    flags: { yes: { type: 'boolean', char: 'y', summary: 'Skips confirmation.' } },
  },
  // The framework lists an alias as a command of its own.
  { id: 'rm', aliases: ['rm'], summary: 'Deletes control planes.', group: 'planes' },
  {
    id: 'logs',
    summary: 'Shows the output of a component.',
    group: 'planes',
    args: { name: {}, component: {} },
    flags: {
      namespace: { type: 'option', char: 'n', summary: 'Namespace.', helpValue: 'NAMESPACE' },
      'host-context': { type: 'option', summary: 'Host context.', helpValue: 'CONTEXT' },
      preset: { type: 'option', summary: 'Size.', options: ['nano', 'ha'] },
    },
  },
  { id: 'config:get', summary: 'Prints a setting.', args: { key: { required: true } } },
  {
    id: 'config:set',
    summary: 'Sets a setting.',
    args: { key: { required: true }, value: { required: true } },
  },
  { id: 'completion', summary: 'Prints a script.', args: { shell: { options: ['bash', 'zsh'] } } },
  { id: 'help', summary: 'Shows help.', args: { command: { multiple: true } } },
  { id: 'internal', hidden: true, summary: 'Not shown.' },
]
