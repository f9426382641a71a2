/** Every filter of the list of results is served by an index. */
export const schemaTwo = `
DROP INDEX archive_result_started;
CREATE INDEX archive_result_status ON archive_result (status, id);
CREATE INDEX archive_result_plugin ON archive_result (plugin, id);
CREATE INDEX archive_result_hook ON archive_result (hook_name, id);
CREATE INDEX archive_result_process ON archive_result (process_id, id) WHERE process_id IS NOT NULL;`;
