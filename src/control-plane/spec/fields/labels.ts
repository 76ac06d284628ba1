import * as z from 'zod'
import { LABEL_NAME, LABEL_VALUE } from '../../../shared/kube/label-selector.ts'

/** Labels by which vplane identifies host objects. */
const OWN_LABEL = /^(vplane\.dev\/.*|app\.kubernetes\.io\/managed-by)$/

export const labels = z.record(
  z
    .string()
    .regex(LABEL_NAME, 'is not a valid label name')
    .refine((name) => !OWN_LABEL.test(name), 'is reserved for vplane'),
  z
    .string({ error: 'must be a string: put numbers and true or false in quotes' })
    .regex(LABEL_VALUE, 'is not a valid label value'),
)
