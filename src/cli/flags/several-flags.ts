import { Args, Flags } from '@oclif/core'
import { type LabelRequirement, parseLabelSelector } from '../../shared/kube/label-selector.ts'

/** A label selector, also as the user wrote it. */
export interface GivenLabels {
  text: string
  requirements: LabelRequirement[]
}

/** `--selector`: planes by their labels. */
export const labelSelectorFlag = Flags.custom<GivenLabels>({
  char: 'l',
  summary: 'Only planes with these labels, as in kubectl: team=shop,env!=prod.',
  helpValue: 'SELECTOR',
  parse: async (text) => ({ text, requirements: parseLabelSelector(text) }),
})

/** How many planes a command works on at the same time. */
export const parallelFlag = (own: { summary: string; default: number }) =>
  Flags.integer({ ...own, helpValue: 'N', min: 1, max: 64 })

/** The flags of every command that works on several planes at once. */
export const severalFlags = {
  selector: labelSelectorFlag({
    summary: 'All planes with these labels, as in kubectl: team=shop,env!=prod.',
  }),
  parallel: parallelFlag({
    summary: 'Number of planes to work on at the same time.',
    default: 8,
  }),
}

/** `NAME...` of planes that exist. */
export const namesArgument = () =>
  Args.string({ description: 'Names of the control planes.', multiple: true })
