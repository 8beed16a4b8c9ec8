//! What the schema promises, read from Postgres itself.

use store::Pool;

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn every_primary_and_foreign_key_begins_with_the_project(pool: Pool) {
    let keys: Vec<(String, String, String, Option<String>)> = sqlx::query_as(
        r"
        SELECT c.conname::text, t.relname::text, a.attname::text, fa.attname::text
        FROM pg_constraint AS c
        JOIN pg_class AS t ON t.oid = c.conrelid
        JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
        LEFT JOIN pg_attribute AS fa ON fa.attrelid = c.confrelid AND fa.attnum = c.confkey[1]
        WHERE c.contype IN ('p', 'f')
            AND c.connamespace = 'public'::regnamespace
            AND t.relname <> '_sqlx_migrations'
        ",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    assert!(keys.len() > 40, "only {} keys were found", keys.len());
    for (constraint, table, column, target) in keys {
        assert_eq!(column, "project_id", "{table}.{constraint}");
        assert_eq!(target.unwrap_or(column), "project_id", "{table}.{constraint}");
    }
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn every_unique_index_but_the_one_of_slugs_begins_with_the_project(pool: Pool) {
    let others: Vec<(String,)> = sqlx::query_as(
        r"
        SELECT i.indexrelid::regclass::text
        FROM pg_index AS i
        JOIN pg_class AS t ON t.oid = i.indrelid
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indisunique
            AND t.relnamespace = 'public'::regnamespace
            AND t.relname <> '_sqlx_migrations'
            AND a.attname <> 'project_id'
        ",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    assert_eq!(others, [("project_slug_key".to_owned(),)]);
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn every_table_and_column_is_commented(pool: Pool) {
    let silent: Vec<(String, Option<String>)> = sqlx::query_as(
        r"
        SELECT t.relname::text, a.attname::text
        FROM pg_class AS t
        JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum >= 0 AND NOT a.attisdropped
        WHERE t.relnamespace = 'public'::regnamespace
            AND t.relkind IN ('r', 'p')
            AND NOT t.relispartition
            AND t.relname <> '_sqlx_migrations'
            AND col_description(t.oid, a.attnum) IS NULL
        UNION ALL
        SELECT t.relname::text, NULL
        FROM pg_class AS t
        WHERE t.relnamespace = 'public'::regnamespace
            AND t.relkind IN ('r', 'p')
            AND NOT t.relispartition
            AND t.relname <> '_sqlx_migrations'
            AND obj_description(t.oid, 'pg_class') IS NULL
        ",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    assert_eq!(silent, []);
}
