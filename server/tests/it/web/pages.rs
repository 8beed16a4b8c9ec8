//! Every page answers, links work, and hostile names stay text.

use axum::http::StatusCode;
use serde_json::json;

use crate::app::TestApp;

const HOSTILE: &str = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'&\u{202e}\u{1f525}";

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn every_link_of_the_demo_leads_somewhere(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    perfblame::demo::load(&app.state).await.unwrap();
    let mut seen = std::collections::BTreeSet::from(["/".to_owned()]);
    let mut waiting = vec!["/".to_owned()];
    let mut pages = 0;
    while let Some(uri) = waiting.pop() {
        // Zooming into a flame graph makes endless links; one level of them is enough.
        if pages >= 400 {
            break;
        }
        pages += 1;
        let answer = app.get(&uri).await;
        assert_eq!(answer.status, StatusCode::OK, "{uri}: {}", answer.text());
        if uri.contains("focus=")
            || !answer.headers["content-type"].to_str().unwrap().starts_with("text/html")
        {
            continue;
        }
        for link in links(&answer.text()) {
            if seen.insert(link.clone()) {
                waiting.push(link);
            }
        }
    }
    assert!(pages > 50, "{pages}");
}

/// The address of the box of a flame graph whose title begins so.
fn box_link(html: &str, title: &str) -> String {
    let at = html.find(&format!("<title>{title}")).unwrap_or_else(|| panic!("no box of {title}"));
    let link = html[..at].rsplit("href=\"").next().unwrap().split('"').next().unwrap();
    link.replace("&amp;", "&").replace("&#38;", "&")
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn a_box_of_a_comparison_leads_to_the_same_frame_on_the_profiles_page(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let loaded = perfblame::demo::load(&app.state).await.unwrap();
    let case = loaded.iter().find(|loaded| loaded.case.project.as_str() == "cassandra-14318").unwrap();
    let page = app.get(&format!("/p/cassandra-14318/runs/{}", case.runs["pager-debug"])).await.text();
    assert!(page.contains("<title>PagerReads.digest") || page.contains("<title>PagerReads$Pager.digest"));
    let zoomed = app.get(&box_link(&page, "PagerReads$Pager.logPage")).await;
    assert_eq!(zoomed.status, StatusCode::OK);
    let zoomed = zoomed.text();
    assert!(zoomed.contains("<title>PagerReads$Pager.logPage"), "the frame is drawn");
    assert!(!zoomed.contains(".digest"), "its neighbour is not below it");
}

fn links(html: &str) -> Vec<String> {
    let attributes = html.split("href=\"").skip(1).chain(html.split("src=\"").skip(1));
    attributes
        .filter_map(|rest| rest.split('"').next())
        .filter(|link| link.starts_with('/') && !link.starts_with("//"))
        .map(|link| {
            link.replace("&amp;", "&").replace("&#38;", "&").split('#').next().unwrap_or_default().to_owned()
        })
        .collect()
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn hostile_names_stay_text_on_every_page(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let body = |factor: f64| {
        let values: Vec<f64> = (0..6).map(|i| factor * (100.0 + f64::from(i))).collect();
        json!({"run": {"branch": HOSTILE, "testbed": HOSTILE, "commit": format!("c{factor}"),
                "environment": {HOSTILE: HOSTILE}, "labels": {HOSTILE: HOSTILE, "job": "javascript:alert(1)"}},
            "benchmarks": [{"name": HOSTILE, "parameters": {HOSTILE: HOSTILE},
                "measures": {HOSTILE: {"unit": HOSTILE, "better": "lower", "observations": values}}}],
            "profiles": [{"benchmark": HOSTILE, "event": HOSTILE, "unit": "samples",
                "folded": format!("main;{HOSTILE};x 900\nmain;{HOSTILE}2 {}\n", (factor * 1000.0) as u64)}]})
    };
    let mut uris = vec!["/".to_owned(), "/p/evil".to_owned()];
    for factor in [1.0, 2.0] {
        let answer = app.post("/api/v1/projects/evil/runs", &[], body(factor).to_string()).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
        uris.push(format!("/p/evil/runs/{}", answer.json()["id"].as_str().unwrap()));
        let place = answer.headers["location"].to_str().unwrap().replace("http://perfblame.test", "");
        let markdown = app.get(&format!("{place}?format=markdown")).await.text();
        assert!(!markdown.contains("<script") && !markdown.contains("<img"), "{markdown}");
    }
    uris.push("/p/evil/compare?base=c1&head=c2".to_owned());
    let mut seen: std::collections::BTreeSet<String> = uris.iter().cloned().collect();
    let mut pages = 0;
    while let Some(uri) = uris.pop() {
        let answer = app.get(&uri).await;
        assert_eq!(answer.status, StatusCode::OK, "{uri}: {}", answer.text());
        let text = answer.text();
        assert!(!text.contains("<script>alert") && !text.contains("<img src=x"), "{uri}: {text}");
        assert!(!text.contains("href=\"javascript:"), "{uri}");
        pages += 1;
        let follow =
            links(&text).into_iter().filter(|link| link.starts_with("/p/evil") && !link.contains("focus="));
        uris.extend(follow.filter(|link| seen.insert(link.clone())));
    }
    assert!(pages >= 8, "{pages} pages: {seen:#?}");
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn pages_forbid_inline_script_and_framing(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    let answer = app.get("/").await;
    let policy = answer.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let text = answer.text();
    assert!(text.contains("curl"), "an empty perfblame teaches the next step: {text}");
    assert!(!text.contains(" style=\"") && !text.contains("<script>"), "{text}");
}

#[sqlx::test(migrator = "store::MIGRATOR")]
async fn what_is_not_there_is_a_helpful_page(pool: sqlx::PgPool) {
    let app = TestApp::new(pool);
    for uri in ["/p/nobody", "/p/nobody/runs/0190b5a0-0000-7000-8000-000000000000", "/nowhere"] {
        let answer = app.get(uri).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{uri}");
        assert!(answer.headers["content-type"].to_str().unwrap().starts_with("text/html"), "{uri}");
        assert!(answer.text().contains("href=\"/\""), "{uri}: {}", answer.text());
    }
}
