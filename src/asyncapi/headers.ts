/** JSON Schema of the headers that every record has: CloudEvents' Kafka binary mode, and W3C Trace Context. */
export function headersSchema(prefix: string): Readonly<Record<string, unknown>> {
  return {
    type: 'object',
    required: ['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time'],
    properties: {
      ce_specversion: { type: 'string', const: '1.0' },
      ce_id: {
        type: 'string',
        description: 'The event_id: 32 hex digits, derived from what the event says.',
      },
      ce_type: { type: 'string', description: `The name of the topic: ${prefix}…` },
      ce_source: {
        type: 'string',
        description: 'proofline/WHO/VERSION of the station or client that wrote it.',
      },
      ce_time: { type: 'string', format: 'date-time', description: 'When it was written.' },
      traceparent: {
        type: 'string',
        description: 'The trace that the event belongs to: W3C Trace Context. Optional; stations pass it on.',
      },
    },
  };
}
